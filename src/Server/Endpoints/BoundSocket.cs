using System.Net;
using System.Net.Sockets;

namespace IpcBench.Server.Endpoints;

/// <summary>A socket that listens already, and the end point under which Kestrel asks for it.</summary>
/// <param name="EndPoint">Where it listens.</param>
/// <param name="Socket">The socket itself.</param>
/// <param name="IsPrivate">No other user of this machine can connect.</param>
internal sealed record BoundSocket(EndPoint EndPoint, Socket Socket, bool IsPrivate = false);
