using System.Net.Sockets;
using System.Text;

namespace IpcBench.Server.Endpoints;

/// <summary>Binds Unix domain sockets: files that only the current user may use, and names of the abstract namespace.</summary>
internal static class UnixListen
{
    /// <summary>Binds and listens on <paramref name="path"/>, in the place of a socket file that nobody serves any more.</summary>
    /// <param name="path">A rooted path, or a NUL and a name for the abstract namespace.</param>
    /// <param name="shown">The address as the user wrote it.</param>
    /// <param name="options">The backlog.</param>
    /// <exception cref="CannotListenException">A live server or something that is no socket is there, or the path cannot be used.</exception>
    public static BoundSocket Bind(string path, string shown, ServerOptions options)
    {
        var endPoint = EndPointOf(path, shown);
        var isFile = path[0] != '\0';
        if (isFile)
            MakeRoom(path, endPoint, shown);
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Bind(endPoint);
            // Between bind and listen nobody can connect yet, so the socket is never open to others.
            var isPrivate = isFile && SocketFile.TryMakePrivate(path);
            socket.Listen(options.Backlog);
            return new BoundSocket(endPoint, socket, isPrivate);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            socket.Dispose();
            throw new CannotListenException($"cannot listen on {shown}: {Explain(e)}", e);
        }
    }

    private static UnixDomainSocketEndPoint EndPointOf(string path, string shown)
    {
        try
        {
            return new UnixDomainSocketEndPoint(path);
        }
        catch (ArgumentOutOfRangeException e)
        {
            var length = FormattableString.Invariant($"{Encoding.UTF8.GetByteCount(path)} bytes");
            throw new CannotListenException(
                $"cannot listen on {shown}: the path has {length} and a Unix socket's is limited to about 100 by the system; choose a shorter one", e);
        }
        catch (PlatformNotSupportedException e)
        {
            throw new CannotListenException($"cannot listen on {shown}: this system has no Unix sockets", e);
        }
    }

    private static void MakeRoom(string path, UnixDomainSocketEndPoint endPoint, string shown)
    {
        switch (SocketFile.Probe(path, endPoint))
        {
            case SocketFileState.Live:
                throw new CannotListenException($"cannot listen on {shown}: another server is answering there; stop it or choose another path with --listen");
            case SocketFileState.Other:
                throw new CannotListenException($"cannot listen on {shown}: a file that is no socket, or not yours, is there; remove it or choose another path with --listen");
            case SocketFileState.Stale:
                File.Delete(path);
                break;
            default:
                SocketFile.MakeFolder(path);
                break;
        }
    }

    private static string Explain(Exception e) => e is SocketException socket
        ? socket.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse => "the name is in use by another program; stop it or choose another with --listen",
            SocketError.AccessDenied => "permission denied in that folder; choose another path with --listen",
            SocketError.AddressNotAvailable => "its folder does not exist; make it or choose another path with --listen",
            SocketError.AddressFamilyNotSupported => "this system has no Unix sockets",
            _ => socket.Message,
        }
        : e.Message;
}
