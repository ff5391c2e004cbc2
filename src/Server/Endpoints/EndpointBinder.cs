using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Endpoints;

/// <summary>Creates the endpoint for an address.</summary>
internal static class EndpointBinder
{
    private const string SharedNote = "every user with write access to the socket's folder may connect";
    private const string DotNetNote = "through .NET's sockets and Kestrel";
    private const string BlockingNote = "the child blocks in each read";
    private const string AbstractNote = "abstract name: no file, so any local user may connect";

    /// <summary>Binds <paramref name="address"/>. New connections wait until the server accepts them.</summary>
    /// <exception cref="CannotListenException">The address cannot be served.</exception>
    /// <exception cref="NoCertificateException">The address is <c>https:</c> and this system cannot make a certificate.</exception>
    public static ServerEndpoint Bind(EndpointRole role, Address address, ServerOptions options) => address switch
    {
        Address.Tcp tcp => BindTcp(tcp, role, options),
        Address.Tls tls => BindTls(tls, role, options),
        Address.Unix unix => BindUnix(unix, role, options),
        Address.UnixAbstract local => BindAbstract(local, role, options),
        Address.Pipe pipe => BindPipe(pipe, role, options),
        Address.Child child when options.Owned => BindChild(child, role, options),
        _ => throw role.At(address).Refusal("this server has no such transport"),
    };

    private static SocketEndpoint BindTcp(Address.Tcp address, EndpointRole role, ServerOptions options)
    {
        var sockets = TcpListen.Bind(address.Host, address.Port, role.At(address), options);
        var bound = address with { Port = PortOf(sockets), IsBare = role.IsEcho };
        return new SocketEndpoint(bound, NoteOf(role, options), role, sockets, options.SocketBuffer);
    }

    private static SocketEndpoint BindTls(Address.Tls address, EndpointRole role, ServerOptions options)
    {
        var certificate = SelfSigned.Create(address.Host);
        var sockets = TcpListen.Bind(address.Host, address.Port, role.At(address), options);
        var bound = address with { Port = PortOf(sockets) };
        return new SocketEndpoint(bound, NoteOf(role, options), role, sockets, options.SocketBuffer, certificate);
    }

    private static SocketEndpoint BindUnix(Address.Unix address, EndpointRole role, ServerOptions options)
    {
        var socket = UnixListen.Bind(UnixSocketPath.Resolve(address.Path), role.At(address), options);
        var note = NoteOf(role, options, socket.IsPrivate ? null : SharedNote);
        return new SocketEndpoint(address, note, role, [socket], options.SocketBuffer);
    }

    private static SocketEndpoint BindAbstract(Address.UnixAbstract address, EndpointRole role, ServerOptions options)
    {
        if (!OperatingSystem.IsLinux())
            throw role.At(address).Refusal("only Linux has abstract sockets: use unix:/path");
        var socket = UnixListen.Bind("\0" + address.Name, role.At(address), options);
        return new SocketEndpoint(address, AbstractNote, role, [socket], options.SocketBuffer);
    }

    private static ServerEndpoint BindPipe(Address.Pipe address, EndpointRole role, ServerOptions options)
    {
        if (OperatingSystem.IsWindows())
            return new WindowsPipeEndpoint(address, NoteOf(role, options), role);
        // Kestrel's named-pipe transport exists on Windows only. On other systems .NET's pipe clients connect to this Unix socket.
        var socket = UnixListen.Bind(NamedPipeConnector.UnixSocketPath(address.Name), role.At(address), options);
        return new SocketEndpoint(address, NamedPipeConnector.UnixNote, role, [socket], options.SocketBuffer);
    }

    private static ChildEndpoint BindChild(Address.Child address, EndpointRole role, ServerOptions options) => address.Transport switch
    {
        Address.Child.SocketPair when !EventLoop.IsSupported => throw role.At(address).Refusal("only Linux has socketpair here: use stdio"),
        Address.Child.SharedMemory when RingWait.Values.Count == 0 =>
            throw role.At(address).Refusal("only Linux and Windows have shared memory here: use stdio"),
        _ => new ChildEndpoint(
            address, NoteOfChild(address, role, options), role, !role.IsWithoutKestrel && address == options.Child),
    };

    private static string? NoteOfChild(Address.Child address, in EndpointRole role, ServerOptions options) => address.Transport switch
    {
        Address.Child.SharedMemory => null,
        Address.Child.SocketPair when !role.IsWithoutKestrel => null, // Kestrel's sockets block no thread
        _ => role.IsWithoutKestrel && EventLoop.IsSupported && options.Sockets is null or SocketEngine.Loop ? null : BlockingNote,
    };

    /// <summary>
    /// Makes the note of an endpoint. If an echo uses .NET's sockets although no option asked for them, the note begins
    /// with <see cref="DotNetNote"/>. Then follows <paramref name="other"/>, if it is not null. Null when there is
    /// neither.
    /// </summary>
    private static string? NoteOf(in EndpointRole role, ServerOptions options, string? other = null)
    {
        var engine = role is { IsEcho: true, IsWithoutKestrel: false } && options.Sockets is null ? DotNetNote : null;
        return engine is not null && other is not null ? $"{engine}, {other}" : engine ?? other;
    }

    private static int PortOf(IReadOnlyList<BoundSocket> sockets) => ((System.Net.IPEndPoint)sockets[0].EndPoint).Port;
}
