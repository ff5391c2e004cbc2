using IpcBench.Server.Trials;

namespace IpcBench.Server.Endpoints;

/// <summary>What an endpoint does with its connections, whatever they are made of.</summary>
/// <param name="IsEcho">Returns their bytes; otherwise it speaks gRPC.</param>
/// <param name="Trial">What it does wrong on purpose.</param>
internal readonly record struct EndpointRole(bool IsEcho, Trial Trial);
