using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace IpcBench.Host;

/// <summary>CPUs by number, written as the kernel writes them: <c>0-1,3</c>.</summary>
public sealed class CpuSet
{
    /// <summary>
    /// The largest CPU number. A larger number must be a typing error, because Linux can be
    /// built for at most 8192 CPUs (CONFIG_NR_CPUS).
    /// </summary>
    private const int Largest = 8191;

    private CpuSet(IEnumerable<int> cpus) => Cpus = [.. cpus.Distinct().Order()];

    /// <summary>The CPUs, ascending, without repetition, never empty.</summary>
    public IReadOnlyList<int> Cpus { get; }

    public static CpuSet From(params IEnumerable<int> cpus) => new(cpus);

    /// <summary>Reads <c>0-1,3</c>. On failure, <paramref name="error"/> is one sentence.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out CpuSet? set, [NotNullWhen(false)] out string? error)
    {
        (set, error) = (null, $"'{text}' is not a CPU set: write numbers and ranges, as in 0-1,3");
        var cpus = new List<int>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (Range(part) is not { } range)
                return false;
            cpus.AddRange(Enumerable.Range(range.First, range.Last - range.First + 1));
        }
        (set, error) = (new CpuSet(cpus), null);
        return true;
    }

    /// <summary>Returns the shortest text that <see cref="TryParse"/> reads back.</summary>
    public override string ToString()
    {
        var parts = new List<string>();
        for (var i = 0; i < Cpus.Count;)
        {
            var first = i;
            while (++i < Cpus.Count && Cpus[i] == Cpus[i - 1] + 1)
            {
            }
            var last = i - first == 1 ? "" : "-" + Text(Cpus[i - 1]);
            parts.Add(Text(Cpus[first]) + last);
        }
        return string.Join(',', parts);
    }

    private static (int First, int Last)? Range(string part)
    {
        var ends = part.Split('-');
        if (ends.Length > 2 || !Number(ends[0], out var first) || !Number(ends[^1], out var last) || last < first)
            return null;
        return (first, last);
    }

    private static string Text(int cpu) => cpu.ToString(CultureInfo.InvariantCulture);

    private static bool Number(string text, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value <= Largest;
}
