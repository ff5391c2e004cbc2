using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>What of a round trip is computing, which a transport can save, and what is waiting to be woken, which none can.</summary>
internal sealed class EchoExplanation : IExplanation
{
    public Explained? Of(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("size", "transport", "round trip", "CPU of both sides", "the rest", "CPU, TCP / this") { Words = 2 };
        var cells = run.Cells.Where(cell => cell.Median != null
            && cell.Key is { Protocol: "echo", Variant: "", Connections: 1, Streams: 1 }).ToList();
        var sentences = new List<string> { "The rest is the round trip less the CPU of both sides: time in which neither computes. Where "
            + "both compute at the same time, or an idle loop looks once more before it sleeps, the CPU may exceed the round trip and "
            + "there is no rest." };
        foreach (var size in Chosen([.. cells.Select(cell => cell.Key.Size).Distinct().Order()]))
        {
            var tcp = cells.Find(cell => cell.Key.Size == size && cell.Key.Transport == "tcp");
            foreach (var cell in cells.Where(cell => cell.Key.Size == size && Metric.TotalCpu.Value(cell.Median!) != null))
            {
                table.Add(Quantity.Size(size), cell.Key.Arm, Metric.Mean.Show(cell.Median!), Metric.TotalCpu.Show(cell.Median!),
                    Rest(cell) is > 0 and var rest ? Quantity.Micros(rest) : Quantity.None, Saved(run, tcp, cell));
                if (tcp != null && tcp != cell && Words(tcp, cell) is { } words)
                    sentences.Add($"{Quantity.Size(size)}: {words}");
            }
        }
        return table.IsEmpty ? null : new Explained("How much of a round trip a transport can save at all", table, sentences);
    }

    /// <summary>What the round trip loses or gains against TCP, and how much of that is computing.</summary>
    private static string? Words(MeasuredCell tcp, MeasuredCell cell)
    {
        if (Metric.Mean.Value(tcp.Median!) - Metric.Mean.Value(cell.Median!) is not { } time
            || Metric.TotalCpu.Value(tcp.Median!) - Metric.TotalCpu.Value(cell.Median!) is not { } cpu)
            return null;
        var waiting = Rest(tcp) > 0 && Rest(cell) > 0 ? $" and {Change(time - cpu)} of waiting"
            : ", computed in part on both sides at once";
        return $"over {cell.Key.Transport} a round trip takes {Change(time)} than over TCP, with {Change(cpu)} of CPU{waiting}.";
    }

    private static string Change(double less) => Quantity.Micros(Math.Abs(less)) + (less >= 0 ? " less" : " more");

    // The smallest, about 1 kB and the largest: all sizes would say the same.
    private static IEnumerable<long> Chosen(List<long> sizes) =>
        sizes.Count <= 3 ? sizes : new[] { sizes[0], sizes.MinBy(size => Math.Abs(Math.Log(size / 1024.0))), sizes[^1] }.Distinct();

    private static double? Rest(MeasuredCell cell) => Metric.Mean.Value(cell.Median!) - Metric.TotalCpu.Value(cell.Median!);

    private static string Saved(MeasuredRun run, MeasuredCell? tcp, MeasuredCell cell) =>
        tcp == null || tcp == cell || ArmComparison.Of(run, tcp, cell, Metric.TotalCpu) is not { } saved ? Quantity.None
            : VerdictText.Ratio(saved.Verdict.Estimate);
}
