using IpcBench.Server.Behaviors;
using IpcBench.Transports;

namespace IpcBench.Server.Endpoints;

/// <summary>What an endpoint does with its connections, on any transport.</summary>
/// <param name="IsEcho">Whether the endpoint sends all bytes back. Otherwise it speaks gRPC.</param>
/// <param name="Behavior">What each call computes, and the faults that it makes on purpose.</param>
/// <param name="IsWithoutKestrel">Whether an event loop or a task answers the echo, without Kestrel.</param>
internal readonly record struct EndpointRole(bool IsEcho, EndpointBehavior Behavior, bool IsWithoutKestrel = false)
{
    /// <summary>The option of the command line that asks for the endpoint.</summary>
    public string Option => IsEcho ? "--echo" : "--listen";

    /// <summary>Returns the address as it was asked for, with its option.</summary>
    public ListenPlace At(Address address) => new(address, Option);
}
