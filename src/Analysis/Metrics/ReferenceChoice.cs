using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>
/// Which cell each cell is compared with. A reference that is a bare transport is sought first within the same client, protocol and variant
/// (grpc-dotnet over a pipe against grpc-dotnet over TCP), and the reference's own other variants are compared with the plain one.
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
        var chosen = family ?? named ?? First(candidates, other => other.Transport == reference);
        return chosen == cell ? null : chosen;
    }

    private int? First(List<int> candidates, Func<CellKey, bool> fits)
    {
        var found = candidates.FindIndex(i => fits(cells[i]));
        return found < 0 ? null : candidates[found];
    }

    private static bool SamePoint(CellKey a, CellKey b) =>
        (a.Size, a.Connections, a.Streams, a.Load) == (b.Size, b.Connections, b.Streams, b.Load);

    private static bool SameFamily(CellKey a, CellKey b) => (a.Protocol, a.Client, a.Variant) == (b.Protocol, b.Client, b.Variant);
}
