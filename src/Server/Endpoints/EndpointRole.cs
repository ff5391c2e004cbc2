using IpcBench.Server.Faults;

namespace IpcBench.Server.Endpoints;

/// <summary>What an endpoint does with its connections, whatever they are made of.</summary>
/// <param name="IsEcho">Returns their bytes; otherwise it speaks gRPC.</param>
/// <param name="Fault">What it does wrong on purpose.</param>
internal readonly record struct EndpointRole(bool IsEcho, Fault Fault);
