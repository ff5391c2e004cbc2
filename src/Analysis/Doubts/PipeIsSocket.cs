using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>Off Windows a .NET named pipe is a Unix socket behind another API.</summary>
internal sealed class PipeIsSocket : IDoubt
{
    public Advice? Of(MeasuredRun run)
    {
        var pipes = run.Cells.Where(cell => cell.Key.Transport == "pipe").Select(cell => cell.Index).ToList();
        return pipes.Count == 0 || run.Record.Host.Os.Contains("Windows", StringComparison.OrdinalIgnoreCase) ? null : new Advice
        {
            Id = "pipe-is-socket",
            Doubt = "On this system pipe is a Unix socket behind .NET's pipe API: these rows say nothing about named pipes on Windows.",
            Fix = "Measure on Windows to learn about its named pipes.",
            Cells = pipes,
        };
    }
}
