using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Published.RatioOfRatios;

namespace IpcBench.Analysis.Published;

/// <summary>2017: Flask under gunicorn behind nginx, on the machine itself and in containers.</summary>
internal static class FlaskWriteUp
{
    private const string Author = "Tiago Ilieve", Title = "Benchmarking IP and Unix domain sockets (for real)",
        Where = "blog.myhro.info/2017/01/benchmarking-ip-and-unix-domain-sockets-for-real", Machine = "AWS c4.large, 2 CPUs";

    private static readonly CellChoice Port = new() { Protocol = "http1", Transport = "tcp", Variant = "port" },
        Socket = Port with { Variant = "socket" };

    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "flask",
        Title = Title,
        Author = Author,
        Year = 2017,
        Where = Where,
        Claim = "the Unix socket answers 10 % more: 2,019 requests/s against 1,837",
        Setup = "A Flask page under one sync worker of gunicorn behind nginx, which reaches gunicorn over 127.0.0.1 or a Unix socket, "
            + "with a connection for every request; wrk -t 2 -c 10 -d 5s.",
        Machine = Machine,
        Command = "scenarios/flask-behind-nginx/run",
        Remarks = ["For several runs the write-up reports 5 to 10 % more on average; the table has the run that the write-up shows."],
        Shown = Metric.Rate,
        Figures = Figures("port", 1837.29, 5.44, "Unix socket", 2019.39, 4.95),
        Ratios = [new("Unix socket against port", Socket, Port, 2019.39 / 1837.29, 2019.39 / 1837.29)],
        Explanations = [new KeepAliveExplanation()],
    };

    public static PublishedComparison Containers { get; } = new()
    {
        Scenario = "flask-containers",
        Title = Title + ", in Docker",
        Author = Author,
        Year = 2017,
        Where = Where,
        Claim = "the socket in a shared volume answers 42 % more than the forwarded port: 2,022 requests/s against 1,420",
        Setup = "The same page with gunicorn in a container: nginx outside reaches gunicorn by a forwarded port or by a Unix socket "
            + "in a shared volume; wrk -d 5s (2 threads, 10 connections).",
        Machine = Machine,
        Command = "scenarios/flask-containers/run",
        Remarks = ["Where no container engine is at hand, a network namespace stands for the container and a small proxy for Docker's port "
            + "forwarding."],
        Shown = Metric.Rate,
        Figures = Figures("forwarded port", 1420.17, 7.03, "socket in a shared volume", 2022.18, 4.94),
        Ratios = [new("shared socket against forwarded port", Socket, Port, 2022.18 / 1420.17, 2022.18 / 1420.17)],
        Explanations = [new ForwardingExplanation(), new KeepAliveExplanation()],
    };

    private static PublishedFigure[] Figures(string port, double portRate, double portMs, string socket, double socketRate,
        double socketMs) =>
    [
        new(port, Port, Metric.Rate, portRate),
        new(socket, Socket, Metric.Rate, socketRate),
        new(port, Port, Metric.Mean, portMs * 1e6),
        new(socket, Socket, Metric.Mean, socketMs * 1e6),
    ];
}

/// <summary>
/// Says how much of a port's disadvantage is due to port forwarding. An additional arm reaches the same port without
/// the forwarder.
/// </summary>
internal sealed class ForwardingExplanation : IExplanation
{
    private const string WithoutForwarder = " direct";

    public Explained? Explain(MeasuredRun run, PublishedComparison published)
    {
        var ratio = published.Ratios[0];
        var direct = (ratio.Reference with { Variant = ratio.Reference.Variant + WithoutForwarder }).In(run);
        if (direct is null || ratio.Reference.In(run, direct.Key.Client) is not { } forwarded
            || ratio.Cell.In(run, direct.Key.Client) is not { } other)
            return null;
        var table = new TextTable("arm", "requests/s", "ratio to " + forwarded.Key.Variant) { Words = 1 };
        table.Add(forwarded.Key.Variant, Metric.Rate.Show(forwarded.Median!), Quantity.None);
        table.Add(direct.Key.Variant, Metric.Rate.Show(direct.Median!), Text(run, direct, forwarded));
        table.Add(other.Key.Variant, Metric.Rate.Show(other.Median!), Text(run, other, forwarded));
        return new Explained("With the port reached without the forwarder", table,
        [
            $"{other.Key.Variant} against the forwarded port: {Text(run, other, forwarded)}. Forwarding contributes a factor "
                + $"{Text(run, direct, forwarded)}; "
            + $"{other.Key.Variant} against the same port without a forwarder: {Text(run, other, direct)}.",
        ]);
    }
}

/// <summary>
/// Says how much of a difference behind a proxy is due to opening connections. Each arm is compared with the same arm
/// with keep-alive between the proxy and the server. If the published server cannot keep connections open, its
/// keep-alive arm has another server. The keep-alive arm is then compared with an arm of this other server without
/// keep-alive.
/// </summary>
internal sealed class KeepAliveExplanation : IExplanation
{
    private const string KeptAlive = " keepalive", SameServer = " threads";

    public Explained? Explain(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("arm", "a connection per request", "kept alive", "gain of keep-alive") { Words = 1 };
        foreach (var choice in published.Ratios.SelectMany(ratio => new[] { ratio.Reference, ratio.Cell }).Distinct())
        {
            if (Pair.Find(run, choice) is { } pair)
                table.Add(pair.Plain.Key.Variant, Metric.Rate.Show(pair.Plain.Median!), Metric.Rate.Show(pair.Kept.Median!),
                    Text(run, pair.Kept, pair.Plain));
        }
        var sentences = published.Ratios.Select(ratio => Sentence(run, ratio)).OfType<string>().ToList();
        return table.IsEmpty ? null : new Explained("With keep-alive between the proxy and the application (requests/s)", table, sentences);
    }

    private static string? Sentence(MeasuredRun run, PublishedRatio ratio)
    {
        if (Pair.Find(run, ratio.Cell) is not { } cell || Pair.Find(run, ratio.Reference) is not { } reference)
            return null;
        var part = Compute(run, (cell.Kept, reference.Kept), (cell.Plain, reference.Plain));
        return $"{cell.Plain.Key.Variant} against {reference.Plain.Key.Variant}: {Text(run, cell.Plain, reference.Plain)} with a "
            + $"connection per request, "
            + $"{Text(run, cell.Kept, reference.Kept)} with keep-alive. {Share(part)}";
    }

    private static string Share(RatioEstimate? part) => part switch
    {
        null or { Interval: null } => "Too few rounds to say what setting up connections contributes.",
        { Interval: { } interval } when interval.Contains(1) =>
            $"Setting up connections contributes a factor {VerdictText.Ratio(part)}, whose interval contains 1.",
        _ => $"Setting up connections contributes a factor {VerdictText.Ratio(part)}; the rest, with keep-alive, is moving bytes.",
    };

    private sealed record Pair(MeasuredCell Plain, MeasuredCell Kept)
    {
        public static Pair? Find(MeasuredRun run, CellChoice choice) =>
            (With(choice, SameServer).In(run) ?? choice.In(run)) is { } plain && With(choice, KeptAlive)
                .In(run, plain.Key.Client) is { } kept ? new Pair(plain, kept) : null;

        private static CellChoice With(CellChoice choice, string ending) => choice with { Variant = choice.Variant + ending };
    }
}
