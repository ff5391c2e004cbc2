using System.Globalization;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>Makes one call before anything is measured: is there a server, does it like the request, how long is its reply?</summary>
internal static class HttpProbe
{
    /// <returns>Bytes of the body.</returns>
    /// <exception cref="IOException">No server, no reply, no success; the message is one sentence.</exception>
    public static async Task<long> SizeAsync(LoadOptions options, CancellationToken cancellation)
    {
        var asked = options.Request! with { VaryingLength = true };
        var protocol = new HttpProtocol(asked.ToBytes(close: false), asked);
        var factory = new InOrderFactory(await HttpFactory.LinksAsync(options, cancellation), 1, () => protocol);
        await using var generator = await LaneGenerator.OpenAsync(options with { Connections = 1, Streams = 1, Threads = 1 }, factory, cancellation);
        var result = await generator.RunAsync(new LoadWindow { Calls = 1 }, cancellation);
        cancellation.ThrowIfCancellationRequested();
        return result.Ok == 1 ? protocol.BodyLength : throw new IOException($"{asked.Url} {Why(result, options)}");
    }

    private static string Why(LoadResult result, LoadOptions options) => result.Failed.Keys.FirstOrDefault() switch
    {
        null => string.Create(CultureInfo.InvariantCulture, $"accepts connections but gave no reply within {options.Timeout.TotalSeconds:0.###} s (--timeout)"),
        "protocol" => "does not answer in HTTP/1.1",
        "connection lost" => "closed the connection without a whole reply",
        ['h', 't', 't', 'p', ' ', '3', ..] redirect => $"answers {redirect}, which leads elsewhere: measure the URL that it leads to, or say that it is meant (--expect-status)",
        var status => $"answers {status}: what is measured must succeed, so look at the path, the headers and the server's log, or say that it is meant (--expect-status)",
    };
}
