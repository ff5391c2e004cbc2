using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>
/// Which cell each cell is compared with. A reference that is a bare transport is sought first within the same client, protocol and variant
/// (grpc-dotnet over a pipe against grpc-dotnet over TCP), and the reference's own other variants are compared with the plain one. Of a
/// setting's value one asks what it changes: its reference is the same transport without it, where that was measured.
/// </summary>
internal sealed class ReferenceChoice(string reference, IReadOnlyList<CellKey> cells)
{
    private readonly bool isArm = cells.Any(key => key.Arm == reference) && !cells.Any(key => key.Transport == reference);

    /// <summary>Index of the reference of this cell; null when it has none or is one.</summary>
    public int? Of(int cell)
    {
        var key = cells[cell];
        var candidates = Enumerable.Range(0, cells.Count).Where(i => SamePoint(cells[i], key)).ToList();
        var named = First(candidates, other => other.Arm == reference);
        var family = isArm ? null : First(candidates, other => other.Transport == reference && other.Transport != key.Transport
            && SameFamily(other, key));
        var standard = isArm || !IsSetting(key) ? null : First(candidates, other => IsDefaultOf(other, key));
        var chosen = standard ?? family ?? named ?? First(candidates, other => other.Transport == reference);
        return chosen == cell ? null : chosen;
    }

    /// <summary>Whether it is what <paramref name="key"/> is without the values of settings.</summary>
    public static bool IsDefaultOf(CellKey other, CellKey key) => other.Variant == WithoutSettings(key.Variant)
        && (other.Transport, other.Protocol, other.Client) == (key.Transport, key.Protocol, key.Client);

    /// <summary>Whether it has the value of a setting, as the arms of a sweep have: <c>socket-buffer=64k</c>.</summary>
    public static bool IsSetting(CellKey key) => key.Variant.Contains('=', StringComparison.Ordinal);

    private static string WithoutSettings(string variant) =>
        string.Join(' ', variant.Split(' ').Where(part => !part.Contains('=', StringComparison.Ordinal)));

    private int? First(List<int> candidates, Func<CellKey, bool> fits)
    {
        var found = candidates.FindIndex(i => fits(cells[i]));
        return found < 0 ? null : candidates[found];
    }

    private static bool SamePoint(CellKey a, CellKey b) =>
        (a.Size, a.Connections, a.Streams, a.Load) == (b.Size, b.Connections, b.Streams, b.Load);

    private static bool SameFamily(CellKey a, CellKey b) => (a.Protocol, a.Client, a.Variant) == (b.Protocol, b.Client, b.Variant);
}
