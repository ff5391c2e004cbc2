using System.Net;
using System.Net.Sockets;

namespace IpcBench.Server.Endpoints;

/// <summary>A socket that listens already, and the end point under which Kestrel asks for it.</summary>
internal sealed record BoundSocket(EndPoint EndPoint, Socket Socket);
