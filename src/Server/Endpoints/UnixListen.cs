using System.Net.Sockets;
using System.Text;
using IpcBench.Server.Options;

namespace IpcBench.Server.Endpoints;

/// <summary>Binds Unix domain sockets: files that only the current user may use, and abstract names.</summary>
internal static class UnixListen
{
    // How long to wait for the lock. A server holds the lock only for milliseconds, so a longer wait would not help.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    /// <summary>Binds and listens on <paramref name="path"/>, and replaces a stale socket file.</summary>
    /// <param name="path">A rooted path, or NUL and a name for the abstract namespace.</param>
    /// <exception cref="CannotListenException">
    /// Another server or a file that is no socket is at the path, or the path cannot be used.
    /// </exception>
    public static BoundSocket Bind(string path, ListenPlace place, ServerOptions options)
    {
        var endPoint = EndPointOf(path, place);
        if (path[0] == '\0')
            return BindAndListen(endPoint, null, place, options);
        // A server that a client has started (--owned) needs no lock, because that client has made up the path and no
        // other program uses that path.
        using (options.Owned ? null : FolderLock.Take(path, Patience))
        {
            MakeRoom(path, endPoint, place);
            return BindAndListen(endPoint, path, place, options);
        }
    }

    private static BoundSocket BindAndListen(UnixDomainSocketEndPoint endPoint, string? path, ListenPlace place, ServerOptions options)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        OwnSocketFile? file = null;
        try
        {
            socket.Bind(endPoint);
            if (path is not null)
                file = OwnSocketFile.TakeOver(path, ref socket, isShared: !options.Owned);
            // The file is made private before listen(2), and nobody can connect before listen(2). So other users never
            // have access.
            var isPrivate = path is not null && SocketFile.TryMakePrivate(path);
            socket.Listen(options.Backlog);
            return new BoundSocket(endPoint, socket, file, isPrivate);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            new BoundSocket(endPoint, socket, file).Dispose();
            throw place.Refusal(Explain(e, place.Option), e);
        }
    }

    private static UnixDomainSocketEndPoint EndPointOf(string path, ListenPlace place)
    {
        try
        {
            return new UnixDomainSocketEndPoint(path);
        }
        catch (ArgumentOutOfRangeException e)
        {
            var length = FormattableString.Invariant($"{Encoding.UTF8.GetByteCount(path)} bytes");
            throw place.Refusal(
                $"the path has {length}, but the system limits the path of a Unix socket to about 100: choose a shorter path", e);
        }
        catch (PlatformNotSupportedException e)
        {
            throw place.Refusal("this system has no Unix sockets", e);
        }
    }

    private static void MakeRoom(string path, UnixDomainSocketEndPoint endPoint, ListenPlace place)
    {
        switch (SocketFile.Probe(path, endPoint))
        {
            case SocketFileState.Live:
                throw place.Refusal($"another server answers at this path: stop that server or choose another path with {place.Option}");
            case SocketFileState.Other:
                throw place.Refusal(
                    "the file at this path is not a socket or belongs to another user: remove the file or choose another path with "
                        + place.Option);
            case SocketFileState.Stale:
                RemoveStale(path, place);
                break;
            default:
                MakeFolder(path, place);
                break;
        }
    }

    private static void RemoveStale(string path, ListenPlace place)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw place.Refusal("the socket file of a server that has ended is at this path, and this user may not remove the file: "
                + $"let the owner remove the file, or choose another path with {place.Option}", e);
        }
    }

    private static void MakeFolder(string path, ListenPlace place)
    {
        try
        {
            SocketFile.MakeFolder(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw place.Refusal($"the folder cannot be created: create the folder or choose another path with {place.Option}", e);
        }
    }

    private static string Explain(Exception e, string option) => e is SocketException socket
        ? socket.SocketErrorCode switch
        {
            SocketError.AddressAlreadyInUse => "the name is in use by another program: stop that program or choose another name with "
                + $"{option}",
            SocketError.AccessDenied => $"permission denied in the folder: choose another path with {option}",
            SocketError.AddressNotAvailable => $"the folder does not exist: create the folder or choose another path with {option}",
            SocketError.AddressFamilyNotSupported => "this system has no Unix sockets",
            _ => socket.Message,
        }
        : e.Message;
}
