using IpcBench.Client.Callers.Wire;
using IpcBench.Client.Load;

namespace IpcBench.Client.Callers;

/// <summary>The clients and protocols there are: one line each.</summary>
internal static class Catalogue
{
    /// <exception cref="ArgumentException">There is no such client for this protocol.</exception>
    /// <exception cref="IOException">The address cannot be resolved.</exception>
    public static async Task<IConnectionFactory> FactoryAsync(LoadOptions options, CancellationToken cancellation) => (options.Client, options.Protocol) switch
    {
        ("wire", "grpc") => await WireFactory.CreateAsync(options, cancellation),
        _ => throw new ArgumentException($"the client '{options.Client}' does not speak '{options.Protocol}'"),
    };
}
