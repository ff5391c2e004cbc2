using System.Net.Sockets;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>Looks whether somebody answers at an address.</summary>
internal static class AddressProbe
{
    /// <summary>Never throws; takes at most <paramref name="patience"/>.</summary>
    public static async Task<AddressState> LookAsync(Address address, TimeSpan patience)
    {
        if (address is Address.Unix or Address.UnixAbstract && !Socket.OSSupportsUnixDomainSockets)
            return AddressState.NotHere;
        try
        {
            using var limit = new CancellationTokenSource(patience);
            await using var stream = await Connector.For(Cleartext(address), new ConnectorOptions()).ConnectAsync(limit.Token).AsTask().WaitAsync(limit.Token);
            return AddressState.Answers;
        }
        catch (PlatformNotSupportedException)
        {
            return AddressState.NotHere;
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or UnauthorizedAccessException or ArgumentException)
        {
            return SocketFile(address) is { } file && Path.Exists(file) ? FileState(file) : AddressState.Free;
        }
    }

    // Whether it answers is a question to the socket: a handshake would add a certificate to what can go wrong.
    private static Address Cleartext(Address address) => address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : address;

    private static string? SocketFile(Address address) => address switch
    {
        Address.Unix unix => unix.Path,
        Address.Pipe pipe when !OperatingSystem.IsWindows() => NamedPipeConnector.UnixSocketPath(pipe.Name),
        _ => null,
    };

    // A socket cannot be opened as a file (ENXIO); what can be is somebody's document.
    private static AddressState FileState(string path)
    {
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
