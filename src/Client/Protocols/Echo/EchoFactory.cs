using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Echo;

/// <summary>Makes connections that send packets to an echo.</summary>
internal static class EchoFactory
{
    /// <exception cref="ArgumentException">A packet has at least one byte.</exception>
    /// <exception cref="IOException">The address cannot be resolved.</exception>
    public static async Task<IConnectionFactory> CreateAsync(LoadOptions options, CancellationToken cancellation)
    {
        if (options.Size < 1)
            throw new ArgumentException("an echo of no bytes is no call", nameof(options));
        var links = await LinkSource.ForAsync(options, options.Size * options.Streams, cancellation);
        return new InOrderFactory(links, options.Streams, () => new EchoProtocol((int)options.Size));
    }
}
