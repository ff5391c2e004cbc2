using System.Net;
using System.Net.Sockets;

namespace IpcBench.Server.Endpoints;

/// <summary>A listening socket, and the end point by which Kestrel asks for this socket.</summary>
/// <param name="File">The socket's file. Null when there is no file that this program must remove.</param>
/// <param name="IsPrivate">Whether only the current user of this machine can connect.</param>
internal sealed record BoundSocket(EndPoint EndPoint, Socket Socket, OwnSocketFile? File = null, bool IsPrivate = false) : IDisposable
{
    /// <summary>
    /// Removes the file, and then closes the socket. As long as the socket is open, no new file can get the inode
    /// number by which this program recognizes its own file.
    /// </summary>
    public void Dispose()
    {
        File?.Remove();
        Socket.Dispose();
    }
}
