using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Plots;

/// <summary>An arm of a file. The colour stands for the arm. Fill and dashes distinguish the first file from all others.</summary>
/// <param name="Colour">Number of the arm's colour, the same in all files.</param>
/// <param name="Name">The name in legends.</param>
internal sealed record Series(int File, int Colour, string Name, MeasuredRun Run, IReadOnlyList<MeasuredCell> Cells)
{
    /// <summary>Number of colour classes in the style sheet.</summary>
    public const int Colours = 12;

    private static readonly string[] Reserved = ["tcp", "unix", "pipe", "tls"];

    /// <summary>The shape of the marks, which distinguishes arms of the same colour when there are more arms than colours.</summary>
    public int Shape => Colour + Colour / Colours;

    public string BarCss => $"f c{Colour % Colours}{(File > 0 ? " o" : "")}";

    public string LineCss => $"l c{Colour % Colours}{(File > 0 ? " d" : "")}";

    public string MarkCss => $"{(File > 0 ? "h" : "m")} c{Colour % Colours}";

    /// <summary>Lists all arms of all files, without the second endpoint of an A/A test.</summary>
    public static List<Series> From(ReportModel model)
    {
        var arms = model.Files.SelectMany(file => file.Run.Cells).Where(cell => cell.Median is not null && !AaTest.IsAa(cell.Key))
            .Select(cell => cell.Key.Arm).Distinct().ToList();
        // An arm that is the only arm of its transport gets the colour of the transport.
        var keys = model.Files.SelectMany(file => file.Run.Cells).Select(cell => cell.Key).Where(key => arms.Contains(key.Arm)).ToList();
        var alone = keys.GroupBy(key => key.Transport).Where(of => of.Select(key => key.Arm).Distinct().Count() == 1)
            .ToDictionary(of => of.First().Arm, of => of.Key);
        int KnownOf(string arm) => Array.IndexOf(Reserved, alone.GetValueOrDefault(arm, arm));
        var others = arms.Where(arm => KnownOf(arm) < 0).ToList();
        // The colours of transports that the report does not have are free, and are used last.
        List<int> free = [.. Enumerable.Range(Reserved.Length, Colours - Reserved.Length),
            .. Enumerable.Range(0, Reserved.Length).Where(colour => !arms.Exists(arm => KnownOf(arm) == colour))];
        int ColourOf(int other) => free[other % free.Count] + Colours * (other / free.Count);
        var all = from file in model.Files.Index()
                  from arm in arms
                  let cells = file.Item.Run.Cells.Where(cell => cell.Median is not null && cell.Key.Arm == arm).ToList()
                  where cells.Count > 0
                  let known = KnownOf(arm)
                  select new Series(file.Index, known >= 0 ? known : ColourOf(others.IndexOf(arm)), model.Files.Count > 1
                      ? $"{file.Item.Name}: {arm}" : arm, file.Item.Run, cells);
        return [.. all];
    }
}
