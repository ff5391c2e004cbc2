using System.Globalization;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>A window that was lengthened for slow calls.</summary>
/// <param name="Call">The median duration of the warm-up's calls.</param>
internal sealed record LongerWindow(PlannedCell Cell, TimeSpan Call, TimeSpan Planned, TimeSpan Window)
{
    /// <summary>Says in one sentence that the windows of the compared cells are longer than planned.</summary>
    public static string Sentence(IReadOnlyList<LongerWindow> compared)
    {
        var cell = compared[0].Cell;
        var name = compared.Count == 1 ? cell.Name : cell.WorkloadName;
        var planned = compared[0].Planned.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture);
        return $"{name}: a call takes {Range(compared, one => one.Call, "0.00")} s, "
            + $"so windows are {Range(compared, one => one.Window, "0.0#")} s instead of {planned} s (give -d to keep the length)";
    }

    private static string Range(IReadOnlyList<LongerWindow> compared, Func<LongerWindow, TimeSpan> time, string format)
    {
        string Shown(double seconds) => seconds.ToString(format, CultureInfo.InvariantCulture);
        var (least, most) = (Shown(compared.Min(one => time(one).TotalSeconds)), Shown(compared.Max(one => time(one).TotalSeconds)));
        return least == most ? least : $"{least}–{most}";
    }
}
