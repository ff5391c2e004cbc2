using System.Globalization;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>Makes one call before anything is measured: is there a server, does it like the request, how long is its reply?</summary>
internal static class HttpProbe
{
    /// <param name="options">Where to; one connection with one stream is opened, whatever they say.</param>
    /// <param name="connector">Settings of the connection.</param>
    /// <param name="request">What to ask for.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>Bytes of the body.</returns>
    /// <exception cref="IOException">No server, no reply, no success; the message is one sentence.</exception>
    public static async Task<long> SizeAsync(
        EngineOptions options, ConnectorOptions connector, HttpRequest request, CancellationToken cancellation)
    {
        var asked = request with { VaryingLength = true };
        var protocol = new HttpProtocol(asked.ToBytes(close: false), asked);
        var dialer = await HttpProtocol.DialerAsync(options, connector, cancellation);
        var source = dialer.Connections(scheduler => new InOrderConnection(scheduler, dialer, protocol, atOnce: 1));
        var one = options with { Connections = 1, Streams = 1, Threads = 1 };
        await using var generator = await LoadGenerator.OpenAsync(one, source, cancellation);
        var result = await generator.RunAsync(new LoadWindow { Calls = 1 }, cancellation);
        cancellation.ThrowIfCancellationRequested();
        return result.Ok == 1 ? protocol.BodyLength : throw new IOException($"{asked.Url} {Why(result, options)}");
    }

    private static string Why(LoadResult result, EngineOptions options) => result.Failed.Keys.FirstOrDefault() switch
    {
        null => string.Create(CultureInfo.InvariantCulture,
            $"accepts connections but gave no reply within {options.Timeout.TotalSeconds:0.###} s (--timeout)"),
        "protocol" => "does not answer in HTTP/1.1",
        "connection lost" => "closed the connection without a whole reply",
        ['h', 't', 't', 'p', ' ', '3', ..] redirect => $"answers {redirect}, which leads elsewhere: "
            + "measure the URL that it leads to, or say that it is meant (--expect-status)",
        var status => $"answers {status}: what is measured must succeed, so look at the path, the headers and the server's log, "
            + "or say that it is meant (--expect-status)",
    };
}
