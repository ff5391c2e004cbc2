using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// A made-up run of a proxy in front of a server: over a port and a socket, with and without keep-alive, with two watched endpoints.
/// </summary>
internal static class ProxyRun
{
    private static readonly string[] Variants = ["port", "socket", "port keepalive", "socket keepalive"];

    public static RunRecord Make()
    {
        var run = new SampleRuns(5)
        {
            Transports = ["tcp", "unix", "pipe", "tls"],
            Sizes = [12],
            Connections = [10],
            Rounds = 8,
            SamplesPerRound = 40,
            Speed = (transport, _) =>
                transport switch { "unix" => 0.021, "pipe" => 0.031, "tls" => 0.032, _ => 0.019 }
        }.Make();
        return run with
        {
            Scenario = "flask",
            Servers = [],
            Options = run.Options with { Reference = "tcp http1 port" },
            Cells = [.. run.Cells.Select((cell, i) =>
                cell with { Key = cell.Key with { Transport = "tcp", Protocol = "http1", Variant = Variants[i] }, Note = "" })],
            Rounds = [.. run.Rounds.Select(round =>
                round with { Server = round.Server! with { GcCollections = [], AllocatedBytes = 0, ContextSwitches = 0 },
                    Watched = Watched(round.Cell) })],
        };
    }

    private static IReadOnlyList<WatchedEndpoint> Watched(int cell) =>
    [
        new WatchedEndpoint { Name = "nginx", Address = "http://127.0.0.1:8080", Samples = 20, Active = Count(9.2, 10),
            Idle = Count(0.8, 2), Waiting = None, Closing = None, TimeWait = None },
        new WatchedEndpoint { Name = "upstream port", Address = "http://127.0.0.1:8000", Samples = 20, Active = cell == 0 ? Count(1, 1)
            : None, Idle = None, Waiting = cell == 0 ? Count(7.75, 9) : None, Closing = None, TimeWait = Count(14_210, 28_000) },
    ];

    private static StateCount None => Count(0, 0);

    private static StateCount Count(double mean, long max) => new() { Mean = mean, Max = max };
}
