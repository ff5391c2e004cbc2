using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>2026: large messages between the processes of a build, over a named pipe and shared memory.</summary>
internal static class MsbuildWriteUp
{
    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "[Experimental] Shared-memory transport for large node IPC payloads",
        Author = "MSBuild",
        Year = 2026,
        Where = "github.com/dotnet/msbuild/pull/14054, github.com/dotnet/msbuild/pull/14094",
        Claim = "shared memory sends large messages 98 times as fast as a named pipe; a whole build gains 2 to 6 %",
        Setup = "Windows: large messages go through one slot of 1 MB with two semaphores instead of a named pipe. The time to send was "
            + "measured, in one direction.",
        Machine = "Windows; nothing more could be read",
        Command = "GrpcBench echo --transports pipe,shm --wait event,spin -s 1MiB -d 300ms -r 8",
        IsOfWindows = true,
        Remarks =
        [
            "The first pull request was closed. The pipe had a buffer of 128 KB, so its sender waited most of the time. The second pull "
                + "request, which was merged, gives the pipe a buffer of 1 MB, and sends 12 times as fast without shared memory.",
            "Here 1 MiB goes to the other process and back.",
        ],
        Shown = Metric.Mean,
        Ratios =
        [
            new("shared memory against named pipe, 1 MiB", Cell("shm", "wait=event"), Cell("pipe", ""), 98, 98, PublishedOrigin.SecondHand),
        ],
        Explanations = [new WaitExplanation()],
    };

    private static CellChoice Cell(string transport, string variant) =>
        new() { Protocol = "echo", Transport = transport, Variant = variant, Size = 1 << 20, Connections = 1, Streams = 1 };
}
