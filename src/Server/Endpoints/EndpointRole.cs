using IpcBench.Server.Behaviors;
using IpcBench.Server.JsonRpc;
using IpcBench.Transports;

namespace IpcBench.Server.Endpoints;

/// <summary>What an endpoint does with its connections, on any transport.</summary>
/// <param name="IsEcho">Whether the endpoint sends all bytes back. Otherwise it speaks gRPC.</param>
/// <param name="Behavior">What each call computes, and which faults its reply has on purpose.</param>
/// <param name="IsWithoutKestrel">True when the echo is answered without Kestrel: by an event loop or by a task.</param>
/// <param name="JsonRpc">Answers JSON-RPC beside gRPC. Null for gRPC alone.</param>
internal readonly record struct EndpointRole(
    bool IsEcho, EndpointBehavior Behavior, bool IsWithoutKestrel = false, JsonRpcHandler? JsonRpc = null)
{
    /// <summary>The option of the command line that asks for the endpoint.</summary>
    public string Option => IsEcho ? "--echo" : "--listen";

    /// <summary>Returns the address together with the option that named it, for error messages.</summary>
    public ListenPlace At(Address address) => new(address, Option);
}
