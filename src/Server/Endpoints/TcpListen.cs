using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Server.Options;

namespace IpcBench.Server.Endpoints;

/// <summary>Binds TCP sockets: all addresses of a host, with the same port.</summary>
internal static class TcpListen
{
    /// <summary>Binds and listens. With <paramref name="port"/> 0 the system chooses the port.</summary>
    /// <exception cref="CannotListenException">
    /// The port is in use, or the host has no address of this machine.
    /// </exception>
    public static IReadOnlyList<BoundSocket> Bind(string host, int port, ListenPlace place, ServerOptions options)
    {
        const int attempts = 20;
        var addresses = Resolve(host, place);
        for (var attempt = 1; ; attempt++)
        {
            var sockets = new List<BoundSocket>();
            try
            {
                foreach (var ip in addresses)
                    AddSocket(sockets, ip, isLast: sockets.Count == 0 && ip.Equals(addresses[^1]), port, options);
                return sockets;
            }
            catch (SocketException e)
            {
                sockets.ForEach(bound => bound.Socket.Dispose());
                // A port that is free on 127.0.0.1 may be in use on ::1. Then another port is tried.
                if (port == 0 && e.SocketErrorCode == SocketError.AddressAlreadyInUse && attempt < attempts)
                    continue;
                throw place.Refusal(Explain(place.Option, e), e);
            }
        }
    }

    /// <summary>Whether only this machine can reach the host.</summary>
    public static bool IsLoopback(string host, ListenPlace place) => Resolve(host, place).All(IPAddress.IsLoopback);

    /// <param name="isLast">True when no other address of the host was or can be bound.</param>
    private static void AddSocket(List<BoundSocket> sockets, IPAddress ip, bool isLast, int port, ServerOptions options)
    {
        var chosen = sockets.Count > 0 ? ((IPEndPoint)sockets[0].EndPoint).Port : port;
        try
        {
            sockets.Add(BindOne(new IPEndPoint(ip, chosen), options));
        }
        catch (SocketException e) when (!isLast && ip.AddressFamily == AddressFamily.InterNetworkV6
            && e.SocketErrorCode is SocketError.AddressNotAvailable
                or SocketError.AddressFamilyNotSupported or SocketError.ProtocolFamilyNotSupported)
        {
            // A machine without IPv6 serves "localhost" on IPv4 alone.
        }
    }

    private static BoundSocket BindOne(IPEndPoint endPoint, ServerOptions options)
    {
        var socket = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            if (endPoint.Address.Equals(IPAddress.IPv6Any))
                socket.DualMode = true;
            // The buffer is set before listen(2), because the window scale depends on the buffer size (tcp(7)).
            if (options.SocketBuffer is { } size)
                SocketEndpoint.SetBuffers(socket, size);
            socket.Bind(endPoint);
            // .NET sets SO_REUSEADDR. With this option two sockets can bind the same port as long as neither listens. So
            // this method also listens.
            socket.Listen(options.Backlog);
            return new BoundSocket(socket.LocalEndPoint!, socket);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static IReadOnlyList<IPAddress> Resolve(string host, ListenPlace place)
    {
        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            return [IPAddress.Loopback, IPAddress.IPv6Loopback];
        if (IPAddress.TryParse(host, out var ip))
            return [ip];
        try
        {
            return [.. Dns.GetHostAddresses(host).OrderBy(address => address.AddressFamily == AddressFamily.InterNetworkV6)];
        }
        catch (SocketException e)
        {
            throw place.Refusal("the name has no address: use localhost or an IP address of this machine", e);
        }
    }

    private static string Explain(string option, SocketException e) => e.SocketErrorCode switch
    {
        SocketError.AddressAlreadyInUse => $"the port is in use by another program: stop that program or choose another port with {option}",
        SocketError.AccessDenied => $"permission denied: choose a port above 1023 with {option}",
        SocketError.AddressNotAvailable => "this machine does not have that address: use localhost or an address of this machine",
        _ => e.Message,
    };
}

/// <summary>
/// The self-signed certificate of a TLS endpoint, made at start. Its key is kept in memory. Windows also stores the key
/// in a file of the user. This file is removed with the certificate, but not when the server is killed.
/// </summary>
internal static class SelfSigned
{
    /// <summary>Makes a certificate for this machine's loopback names and <paramref name="host"/>, valid for a year.</summary>
    /// <exception cref="NoCertificateException">The system's cryptography cannot make a certificate.</exception>
    public static X509Certificate2 Create(string host)
    {
        try
        {
            using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            var request = new CertificateRequest("CN=GrpcBench self-signed", key, HashAlgorithmName.SHA256);
            request.CertificateExtensions.Add(Names(host));
            request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
            request.CertificateExtensions.Add(
                new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1", "server authentication")], critical: false));
            var now = DateTimeOffset.UtcNow;
            var made = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(365));
            if (!OperatingSystem.IsWindows())
                return made;
            // Windows cannot serve with a key that is only in memory (dotnet/runtime issue 23749). So the certificate
            // is exported and imported again, which stores the key in a file.
            using (made)
                return X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pfx), null);
        }
        catch (Exception e)
            when (e is CryptographicException or PlatformNotSupportedException or TypeInitializationException or DllNotFoundException)
        {
            throw new NoCertificateException(e.Message, e);
        }
    }

    private static X509Extension Names(string host)
    {
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        names.AddIpAddress(IPAddress.IPv6Loopback);
        if (IPAddress.TryParse(host, out var ip))
            names.AddIpAddress(ip);
        else if (!host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
            names.AddDnsName(host);
        return names.Build();
    }
}
