using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Checks that the servers can answer the run's calls: compares the sizes with their limits, or makes one call.</summary>
internal static class DownloadCheck
{
    // The largest reply that the check asks for. A larger reply might delay the run too long.
    private const long LargestAsked = 32 << 20;

    /// <exception cref="UsageException">A size is above a server's limit.</exception>
    /// <exception cref="EnvironmentException">A server does not know the method.</exception>
    public static async Task CheckAsync(
        RunOptions options, IReadOnlyDictionary<Address, ServerControl> controls, CancellationToken cancellation)
    {
        var isServed = options.Protocols.Any(
            protocol => ProtocolTable.IsGrpcServed(protocol) || options.OwnServer && ProtocolTable.IsJsonRpc(protocol));
        if (options.Call is not null || !isServed)
            return;
        var largest = options.Sizes.Max();
        foreach (var (address, control) in controls)
        {
            // A server with the Control service may still be too old to know a mode.
            foreach (var mode in options.Modes.Where(mode => control.Description is null || mode != CallMode.Unary))
                await AskAsync(address, control, mode, Math.Min(largest, control.Description is null ? LargestAsked : 0), cancellation);
            if (control.Description?.Limits is { MaxSize: > 0 and var limit } && largest > limit)
                throw new UsageException(
                    $"-s {largest} is more than the server at {address} allows ({limit} bytes): use a smaller size, or start a server that "
                        + "allows more (serve --max-size) and name that server with -U");
        }
    }

    private static async Task AskAsync(Address address, ServerControl control, string mode, long size, CancellationToken cancellation)
    {
        var method = CallMode.MethodOf(mode);
        GrpcAnswer? answer;
        try
        {
            answer = await control.BenchAsync(mode, size, cancellation);
        }
        catch (IOException)
        {
            return; // the load fails too, and its message says more
        }
        if (answer is { HttpStatus: not 200 } or { Status: GrpcStatusCode.Unimplemented } or { Status: null, OtherType: not null })
            throw new EnvironmentException(
                $"this run calls {method}, which the server at {address} does not know ({answer.StatusText}): "
                    + (mode == CallMode.Unary ? "name one of the server's methods with --call (see --list)"
                        : $"leave --mode {mode} out, or measure a server that has this method"));
        if (answer is { Status: GrpcStatusCode.InvalidArgument or GrpcStatusCode.ResourceExhausted or GrpcStatusCode.OutOfRange })
            throw new UsageException($"{address} rejects -s {size} ({answer.StatusText}): use a smaller size, or raise the server's limit");
    }
}
