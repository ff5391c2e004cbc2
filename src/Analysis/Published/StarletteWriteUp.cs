using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>2021: Starlette under gunicorn behind nginx, in containers of a cloud.</summary>
internal static class StarletteWriteUp
{
    private static readonly (string What, CellChoice Cell)[] Arms =
    [
        ("tcp: two containers, a port", Arm("tcp")),
        ("sharedvolume: two containers, a Unix socket", Arm("sharedvolume")),
        ("combined: one container, a Unix socket", Arm("combined")),
    ];

    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "starlette",
        Title = "Container-to-Container Communication",
        Author = "miketheman",
        Year = 2021,
        Where = "www.miketheman.net/2021/12/28/container-to-container-communication, github.com/miketheman/ecs-network-perf",
        Claim = "TCP, a socket in a shared volume and both programs in one container, on x86 and ARM",
        Setup = "Starlette under gunicorn with a uvicorn worker behind nginx, JSON that changes with every call; ab -n 1000 -c 1.",
        Machine = "containers on AWS ECS",
        Command = "scenarios/starlette-behind-nginx/run",
        Remarks = ["The write-up's table could not be read, so the column of published numbers is empty and nothing is compared.",
            "The original's nginx speaks TLS to the client; here nginx does not, and the containers are processes of one machine."],
        Shown = Metric.Rate,
        Figures = [.. from metric in new[] { Metric.Rate, Metric.Mean, Metric.P99 } from arm in Arms
            select new PublishedFigure(arm.What, arm.Cell, metric, null, PublishedOrigin.NotFound)],
        Ratios = [Against("sharedvolume against tcp", 1), Against("combined against tcp", 2)],
        Explanations = [new KeepAliveExplanation()],
    };

    private static CellChoice Arm(string name) => new() { Protocol = "http1", Transport = "tcp", Variant = name };

    private static PublishedRatio Against(string what, int arm) =>
        new(what, Arms[arm].Cell, Arms[0].Cell, 0, 0, PublishedOrigin.NotFound);
}
