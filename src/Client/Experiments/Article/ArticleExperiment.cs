using IpcBench.Client.Cli;

namespace IpcBench.Client.Experiments.Article;

/// <summary><c>article</c>: repeats a published comparison of 2023.</summary>
internal static class ArticleExperiment
{
    /// <summary>The load that the article ran (5 connections × 80 streams), and the load that the article claims (400 × 1).</summary>
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        Name = "article",
        Description = "Measures gRPC as a 2023 article did (5 connections × 80 streams, TLS on TCP only), then in plaintext and with 400 "
            + "connections: how much of the Unix socket's lead there (15 % to 50 %) is the transport? About 27 minutes; with --quick 4.",
        Transports = new("tcp,tls,unix,pipe", Quick: OperatingSystem.IsWindows() ? null : "tcp,tls,unix"),
        Topologies = [new(5, 80), new(400, 1)],
        Sizes = new("10,100,1k,10k,100k,1M", Quick: "10,1M"),
        QuickTime = "five minutes",
        // The article fixes the server, the number of connections and the load.
        NotOffered = [.. Preset.CallOptions, .. Preset.LoadOptions, .. Preset.GivenServerOptions,
            "--transports", "-c", "-m", "--crank", "--work"],
    };
}
