using Google.Protobuf;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Gets the description and the counters of a server process, over a connection that carries no load. A server without
/// the Control service reports neither.
/// </summary>
internal sealed class ServerControl : IDisposable
{
    private readonly GrpcCaller? caller;

    private ServerControl(GrpcCaller? caller, DescribeReply? description)
    {
        this.caller = caller;
        Description = description;
    }

    /// <summary>The server's description. Null for a server without the Control service.</summary>
    public DescribeReply? Description { get; }

    /// <summary>
    /// Opens one control connection to each server process behind the targets, even if the process has several endpoints.
    /// </summary>
    /// <param name="addresses">One address for each server that this tool started.</param>
    /// <param name="patience">How long a server may take to answer. Null means <see cref="GrpcCaller.DefaultPatience"/>.</param>
    /// <exception cref="IOException">No server answers at one of the addresses.</exception>
    public static async Task<IReadOnlyDictionary<Address, ServerControl>> OpenAsync(
        IReadOnlyList<Target> targets, IEnumerable<Address> addresses, ConnectorOptions options, TimeSpan? patience,
        CancellationToken cancellation)
    {
        var own = new List<ServerControl>();
        var controls = new Dictionary<Address, ServerControl>();
        try
        {
            foreach (var client in addresses)
                own.Add(await OpenOneAsync(Caller(client), [], mustAnswer: true, cancellation));
            foreach (var target in targets)
            {
                if (controls.ContainsKey(target.Address))
                    continue;
                // A child process serves this target, and the listening server does not have the counters of the child.
                if (target.Address is Address.Child)
                {
                    controls[target.Address] = new ServerControl(null, null);
                    continue;
                }
                var known = own.Concat(controls.Values).FirstOrDefault(control => control.Offers(target.Address));
                controls[target.Address] = known ?? (ProtocolTable.IsGrpcServed(target.Protocol)
                    ? await OpenOneAsync(Caller(target.Address), controls.Values, mustAnswer: target.Call is null, cancellation)
                    : new ServerControl(null, null));
            }
            return controls;
        }
        catch
        {
            foreach (var control in own.Concat(controls.Values))
                control.Dispose();
            throw;
        }

        GrpcCaller Caller(Address address) => new(address, options) { Patience = patience ?? GrpcCaller.DefaultPatience };
    }

    /// <summary>Asks for the server's present counters. Null when the server does not report them, or does not answer.</summary>
    public async Task<UsageReply?> UsageAsync(CancellationToken cancellation)
    {
        if (caller is null || Description is null)
            return null;
        try
        {
            return await CallAsync(caller, "Usage", new UsageRequest(), UsageReply.Parser, cancellation);
        }
        catch (IOException)
        {
            return null; // when the server is gone, the load fails too and its message says more
        }
    }

    /// <summary>Makes one call of this mode and returns its answer. Null for a child, and for a server without gRPC.</summary>
    /// <exception cref="IOException">The server does not answer, or not in time.</exception>
    public async Task<GrpcAnswer?> BenchAsync(string mode, long size, CancellationToken cancellation) =>
        caller is null ? null : await caller.CallAsync("/" + CallMode.MethodOf(mode), mode switch
        {
            CallMode.Unary => new DownloadRequest { Size = size }.ToByteArray(),
            CallMode.Pull => new PullRequest { Size = size, Messages = 1 }.ToByteArray(),
            _ => PayloadFrame.ForSize((int)size).AsMemory(GrpcFraming.PrefixLength),
        }, cancellation);

    /// <summary>Asks a server for its description. Null when it has no Control service.</summary>
    /// <exception cref="IOException">No server answers.</exception>
    internal static Task<DescribeReply?> DescribeAsync(GrpcCaller caller, CancellationToken cancellation) =>
        CallAsync(caller, "Describe", new DescribeRequest(), DescribeReply.Parser, cancellation);

    /// <summary>Makes the server's part of the results file.</summary>
    public ServerInfo? Info(IEnumerable<Address> addresses) => Description is null ? null : new ServerInfo
    {
        Addresses = [.. addresses.Select(address => address.ToString())],
        Stack = Description.Stack,
        StackVersion = Description.StackVersion,
        Version = Description.Version,
        Runtime = Description.Runtime,
        Os = Description.Os,
        GcMode = GcOf(Description),
        Processors = Description.Processors,
        // The server may be any program and may report any text. Only runtime variables are kept, and settings whose names
        // have the form of this tool's settings.
        Settings = new SortedDictionary<string, string>(
            Description.Settings.Where(setting => RuntimeVariables.MayKeep(setting.Key)).ToDictionary(), StringComparer.Ordinal),
    };

    /// <summary>
    /// Returns the GC of the server. Empty for a program without .NET, which leaves out both fields: protobuf reads them as false.
    /// </summary>
    internal static string GcOf(DescribeReply told) => !told.Runtime.StartsWith(".NET", StringComparison.Ordinal) ? ""
        : (told.ServerGc ? "server" : "workstation") + (told.ConcurrentGc ? ", concurrent" : "");

    /// <summary>Finds the counters of the endpoint at <paramref name="address"/>. Null when none or several endpoints fit.</summary>
    public static EndpointUsage? EndpointOf(UsageReply usage, Address address)
    {
        var same = usage.Endpoints.Where(endpoint => IsAt(endpoint.Address, address)).ToList();
        if (same.Count == 0)
            same = [.. usage.Endpoints.Where(endpoint => endpoint.Kind == address.Kind)];
        return same.Count == 1 ? same[0] : null;
    }

    /// <summary>
    /// Returns the number of control connections at this endpoint, which are not measured: 1 if the control connection
    /// goes to this endpoint, else 0.
    /// </summary>
    public int OwnConnections(Address address) => caller?.Address == address ? 1 : 0;

    public void Dispose() => caller?.Dispose();

    private bool Offers(Address address) => Description?.Endpoints.Any(endpoint => IsAt(endpoint.Address, address)) == true;

    private static bool IsAt(string told, Address address) => Address.TryParse(told, out var there, out _) && there == address;

    private static async Task<ServerControl> OpenOneAsync(
        GrpcCaller caller, IEnumerable<ServerControl> others, bool mustAnswer, CancellationToken cancellation)
    {
        try
        {
            var description = await DescriptionAsync(caller, mustAnswer, cancellation);
            var known = description is null ? null : others.FirstOrDefault(control => control.Description?.Equals(description) == true);
            if (known is null)
                return new ServerControl(caller, description);
            caller.Dispose(); // the address is another spelling for a process that is already known
            return known;
        }
        catch
        {
            caller.Dispose();
            throw;
        }
    }

    // The user's service may reset a call to an unknown method, or never answer it. Such a service counts as a server
    // without description.
    private static async Task<DescribeReply?> DescriptionAsync(GrpcCaller caller, bool mustAnswer, CancellationToken cancellation)
    {
        try
        {
            return await DescribeAsync(caller, cancellation);
        }
        catch (IOException) when (!mustAnswer)
        {
            return null;
        }
    }

    private static async Task<T?> CallAsync<T>(
        GrpcCaller caller, string method, IMessage request, MessageParser<T> parser, CancellationToken cancellation)
        where T : class, IMessage<T>
    {
        var answer = await caller.CallAsync("/ipcbench.v1.Control/" + method, request.ToByteArray(), cancellation);
        try
        {
            return answer is { HttpStatus: 200, Status: GrpcStatusCode.Ok, Message: { } message } ? parser.ParseFrom(message.Span) : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
