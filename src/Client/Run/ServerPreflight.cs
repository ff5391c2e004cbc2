using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Finds options that do not fit the user's method, once it is known whether the method streams.</summary>
internal static class StreamCheck
{
    /// <summary>Returns one sentence about the first option that does not fit the method. Null when all options fit.</summary>
    public static string? Wrong(RunOptions options, GrpcCall call)
    {
        var (mode, name) = (CallMode.For(call), call.Method);
        if (mode == CallMode.Unary)
            return options.Messages == 0 ? null : $"--messages is for streams, but {name} takes and returns one message: leave out "
                + "--messages";
        if (options.Shapes.Count == 0 && options.Clients.Any(client => client != ProtocolTable.Wire))
            return $"{name} is a streaming method, which only the client wire can measure: leave out --client";
        if (options.ConnectPerCall.Contains(true))
            return $"--connect-per-call opens a connection for each call, but messages of {name} share a stream: leave out "
                + "--connect-per-call";
        if (call.Deadline is not null)
        {
            return $"the stream of {name} stays open until the load ends, but --deadline would end the stream earlier: leave out "
                + "--deadline";
        }
        if (mode == CallMode.Pull && (options.Rate is not null || options.Loads.Count > 0))
        {
            var asked = options.Loads.Select(load => load.Option).Distinct().DefaultIfEmpty("-R");
            return $"the server decides when it sends the messages of {name}: leave out {string.Join(" and ", asked)}";
        }
        if (mode == CallMode.Pull && options.Messages > 0)
            return $"the server decides how many messages a stream of {name} has: leave out --messages";
        return options.Loads.Select(load => load.Refusal(mode, name)).FirstOrDefault(sentence => sentence is not null);
    }
}

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
