using System.Net.Sockets;
using IpcBench.Analysis.Results;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>Checks whether a server answers at an address.</summary>
internal static class AddressProbe
{
    /// <summary>Checks one address. Never throws. Takes at most <paramref name="patience"/>.</summary>
    public static async Task<AddressState> LookAsync(Address address, TimeSpan patience)
    {
        if (address is Address.Unix or Address.UnixAbstract && !Socket.OSSupportsUnixDomainSockets)
            return AddressState.NotHere;
        try
        {
            using var limit = new CancellationTokenSource(patience);
            var connecting = Connector.For(Cleartext(address), new ConnectorOptions { ResetOnClose = false }).ConnectAsync(limit.Token);
            await using var stream = await connecting.AsTask().WaitAsync(limit.Token);
            return AddressState.Answers;
        }
        catch (PlatformNotSupportedException)
        {
            return AddressState.NotHere;
        }
        catch (Exception e) when (IsRefusal(e))
        {
            return AddressState.Denied;
        }
        catch (Exception e) when (e is IOException or SocketException or OperationCanceledException
            or UnauthorizedAccessException or ArgumentException)
        {
            return address.SocketFile is { } file && Path.Exists(UnixSocketPath.Resolve(file))
                ? FileState(UnixSocketPath.Resolve(file)) : AddressState.Free;
        }
    }

    // Only the socket matters here. A TLS handshake could also fail because of the certificate.
    private static Address Cleartext(Address address) => address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : address;

    // True when this user may not open the socket: connect(2) needs write permission on its file (unix(7)). On Windows
    // the access list of a pipe decides.
    private static bool IsRefusal(Exception e) =>
        (e as SocketException ?? e.InnerException as SocketException)?.SocketErrorCode == SocketError.AccessDenied
        || (e as IOException)?.InnerException is UnauthorizedAccessException;

    // A socket cannot be opened as a file (ENXIO). A path that can be opened is therefore an ordinary file.
    private static AddressState FileState(string path)
    {
        // Opening a named pipe (FIFO) would wait for its writer, perhaps for ever.
        if (FileKind.IsStream(path))
            return AddressState.Occupied;
        try
        {
            using var file = File.OpenRead(path);
            return AddressState.Occupied;
        }
        catch (UnauthorizedAccessException)
        {
            return AddressState.Occupied;
        }
        catch (IOException)
        {
            return AddressState.Stale;
        }
    }
}
