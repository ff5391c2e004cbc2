using System.Net;
using System.Net.Sockets;

namespace IpcBench.Server.Endpoints;

/// <summary>A socket that listens already, and the end point under which Kestrel asks for it.</summary>
/// <param name="EndPoint">Where it listens.</param>
/// <param name="Socket">The socket itself.</param>
/// <param name="File">The socket's file, where it is this program that removes it.</param>
/// <param name="IsPrivate">No other user of this machine can connect.</param>
internal sealed record BoundSocket(EndPoint EndPoint, Socket Socket, OwnSocketFile? File = null, bool IsPrivate = false) : IDisposable
{
    /// <summary>The file first: its number is not given to another as long as the socket lives.</summary>
    public void Dispose()
    {
        File?.Remove();
        Socket.Dispose();
    }
}
