using System.Globalization;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Checks, before the plan is made, that each given echo server sends the same bytes back.</summary>
internal static class EchoTargets
{
    // The largest packet of the check. A server of another protocol answers a packet of a few KiB with an error, but
    // waits for more bytes after a single byte.
    private const long Telling = 16 << 10;

    // The check sends at least this many bytes. After fewer bytes, an HTTP/2 server would only wait for more bytes. If one
    // packet is smaller, several packets are sent together.
    private const long LeastOut = 64;

    /// <exception cref="IOException">No server listens at one of the addresses.</exception>
    /// <exception cref="EnvironmentException">The server at an address is no echo server.</exception>
    public static async Task ProbeAsync(RunOptions options, IEnumerable<Target> targets, CancellationToken cancellation)
    {
        // The packet has one of the sizes that will be measured, since an echo server may accept no other size.
        var size = options.Sizes.Where(size => size <= Telling).DefaultIfEmpty(options.Sizes.Min()).Max();
        foreach (var address in targets.Where(target => target.Protocol == ProtocolTable.Echo).Select(target => target.Address).Distinct())
        {
            var packets = (int)((LeastOut + size - 1) / size);
            var load = new LoadOptions
            {
                Address = address,
                Size = size,
                Connections = 1,
                Streams = packets,
                Threads = 1,
                Timeout = options.Timeout,
                Protocol = ProtocolTable.Echo,
                Connector = options.Variants[0].Knobs.Connector(options.Connector),
            };
            var source = await ProtocolTable.ConnectionsAsync(load, cancellation);
            await using var generator = await LoadGenerator.OpenAsync(load, source, cancellation);
            var result = await generator.RunAsync(new LoadWindow { Calls = packets }, cancellation);
            cancellation.ThrowIfCancellationRequested();
            if (result.Ok == 0)
                throw new EnvironmentException($"{address} {Why(result, load)}: it is not an echo server");
        }
    }

    // After a wrong packet, the packets that follow fail as "connection lost". A failure of another kind therefore has priority.
    private static string Why(LoadResult result, LoadOptions load) =>
        result.Failed.Keys.MinBy(kind => kind == FailureKind.ConnectionLost) switch
        {
            null => string.Create(CultureInfo.InvariantCulture,
                $"accepts connections but did not send a packet back within {load.Timeout.TotalSeconds:0.###} s (--timeout)"),
            FailureKind.ConnectionLost => "closed the connection without sending the packet back",
            _ => "does not send the same bytes back",
        };
}
