using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;

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
