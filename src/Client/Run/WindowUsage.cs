using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>What the client, the server and the machine used in one window, or in several consecutive windows.</summary>
internal sealed record WindowUsage
{
    /// <summary>When the first window began.</summary>
    public required DateTimeOffset At { get; init; }

    public required ProcessUsage Client { get; init; }

    /// <summary>The usage of the server. Null when it is unknown.</summary>
    public required ProcessUsage? Server { get; init; }

    /// <summary>The usage of the whole machine. Null when the system does not report it.</summary>
    public required MachineUsage? Machine { get; init; }

    /// <summary>The server's own counts. Null when the server does not report them.</summary>
    public required EndpointTold? Endpoint { get; init; }

    /// <summary>The states of the watched sockets.</summary>
    public required IReadOnlyList<WatchedEndpoint> Watched { get; init; }

    /// <summary>Methods that this process's JIT compiler compiled during the windows.</summary>
    public required long MethodsCompiled { get; init; }

    /// <summary>Adds a later window of the same cell.</summary>
    public WindowUsage Plus(WindowUsage later) => this with
    {
        Client = Usage.Sum(Client, later.Client)!,
        Server = Usage.Sum(Server, later.Server),
        Machine = Usage.Sum(Machine, later.Machine),
        Endpoint = Endpoint is null || later.Endpoint is null ? null : new EndpointTold(
            Math.Max(Endpoint.Open, later.Endpoint.Open), Endpoint.ClientCalls + later.Endpoint.ClientCalls,
            Endpoint.Calls + later.Endpoint.Calls),
        MethodsCompiled = MethodsCompiled + later.MethodsCompiled,
    };
}

/// <summary>A server's own counts of one endpoint.</summary>
/// <param name="Open">Open connections of this measurement, without control connections and those of other arms.</param>
/// <param name="ClientCalls">Successful calls by the client's count.</param>
/// <param name="Calls">Calls by the server's count. Null where the server counts none.</param>
internal sealed record EndpointTold(long Open, long ClientCalls, long? Calls)
{
    /// <summary>Returns the client's counts of its connections, with the server's counts added.</summary>
    public ConnectionStats Beside(ConnectionStats own) => own with
    {
        ServerOpen = own.OpenedInAll is not null ? null : Open,
        ClientCalls = ClientCalls,
        ServerCalls = Calls,
    };
}
