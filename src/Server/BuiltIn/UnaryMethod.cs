using System.Buffers;

namespace IpcBench.Server.BuiltIn;

/// <summary>One method of a service.</summary>
/// <param name="Answer">Turns the request message into the result; must not keep the message.</param>
/// <param name="IsBench">It is measured: it counts as a call and suffers its endpoint's fault.</param>
internal sealed record UnaryMethod(UnaryAnswer Answer, bool IsBench);

/// <summary>Turns a request message into a result.</summary>
internal delegate UnaryResult UnaryAnswer(in ReadOnlySequence<byte> message, Endpoints.ServerEndpoint endpoint);
