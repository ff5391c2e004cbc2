using IpcBench.Analysis.Metrics;

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
        Setup = "A Flask page under gunicorn's one sync worker behind nginx, which reaches it by 127.0.0.1 or by a Unix socket, a "
            + "connection for every request; wrk -t 2 -c 10 -d 5s.",
        Machine = Machine,
        Command = "scenarios/flask-behind-nginx/run",
        Remarks = ["Of several runs the write-up says 5 to 10 % more on average; the table has the run that it shows."],
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
        Setup = "The same page with gunicorn in a container: nginx outside reaches it by a forwarded port or by a Unix socket in a shared "
            + "volume; wrk -d 5s (2 threads, 10 connections).",
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
