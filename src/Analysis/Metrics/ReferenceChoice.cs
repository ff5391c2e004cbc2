using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>
/// Chooses the reference of each cell. If the option names a transport, a cell with a setting is compared with the same
/// arm without this setting if the run has such a cell, because the question is what the setting changes. Any other cell
/// is compared with the cell of the named transport that has the same client, protocol, mode and settings, however shared
/// memory waits: for example, grpc-dotnet over a pipe with grpc-dotnet over TCP. If there is no such cell, or if the
/// option names a whole arm, the reference is the arm with this name, or else the first arm of the named transport.
/// </summary>
internal sealed class ReferenceChoice(string reference, IReadOnlyList<CellKey> cells)
{
    /// <summary>The mark of an arm that measures the reference's endpoint a second time (<c>--aa</c>).</summary>
    public const string SecondMark = "a/a";

    private const StringSplitOptions Plain = StringSplitOptions.RemoveEmptyEntries;

    private readonly bool isArm = cells.Any(key => key.Arm == reference) && !cells.Any(key => key.Transport == reference);

    private readonly ILookup<Workload, int> workloads =
        Enumerable.Range(0, cells.Count).ToLookup(i => Workload.From(cells[i]));

    /// <summary>Returns the index of the reference of the cell. Null when the cell is a reference or has no reference.</summary>
    public int? Choose(int cell)
    {
        var key = cells[cell];
        var candidates = workloads[Workload.From(key)].ToList();
        if (Parts(key.Variant).Contains(SecondMark))
            return First(candidates, other => other == Without(key, SecondMark));
        var named = First(candidates, other => other.Arm == reference);
        var family = isArm ? null : First(candidates, other => other.Transport == reference && other.Transport != key.Transport
            && SameFamily(other, key));
        var standard = isArm || !IsSetting(key) ? null : First(candidates, other => IsDefaultOf(other, key));
        var chosen = standard ?? family ?? named ?? First(candidates, other => other.Transport == reference);
        return chosen == cell ? null : chosen;
    }

    /// <summary>
    /// Whether <paramref name="other"/> is the same arm as <paramref name="key"/>, but lacks one or more settings of
    /// <paramref name="key"/>.
    /// </summary>
    public static bool IsDefaultOf(CellKey other, CellKey key)
    {
        if ((other.Transport, other.Protocol, other.Client, other.Mode) != (key.Transport, key.Protocol, key.Client, key.Mode))
            return false;
        var (fewer, all) = (other.Setting.Split(' ', Plain), key.Setting.Split(' ', Plain));
        return fewer.Length < all.Length && fewer.All(part => all.Contains(part)) && all.Except(fewer).All(IsSetting);
    }

    /// <summary>Whether the cell has a setting, for example <c>socket-buffer=64k</c> in a sweep.</summary>
    public static bool IsSetting(CellKey key) => IsSetting(key.Setting);

    /// <summary>Whether the cell belongs to the second build in a run of <c>ab</c>.</summary>
    public static bool IsHead(CellKey key) => Parts(key.Variant).Contains(CellKey.HeadVariant);

    /// <summary>Returns the key without the mark of the second build.</summary>
    public static CellKey WithoutHead(CellKey key) => Without(key, CellKey.HeadVariant);

    private static CellKey Without(CellKey key, string mark) =>
        key with { Variant = string.Join(' ', Parts(key.Variant).Where(part => part != mark)) };

    private static string[] Parts(string variant) => variant.Split(' ', Plain);

    private static bool IsSetting(string variant) => variant.Contains('=', StringComparison.Ordinal);

    private int? First(List<int> candidates, Func<CellKey, bool> fits)
    {
        var found = candidates.FindIndex(i => fits(cells[i]));
        return found < 0 ? null : candidates[found];
    }

    private static bool SameFamily(CellKey a, CellKey b) =>
        (a.Protocol, a.Client, a.Mode, a.WithoutWait) == (b.Protocol, b.Client, b.Mode, b.WithoutWait);
}
