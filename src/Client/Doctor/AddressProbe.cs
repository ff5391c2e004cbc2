using System.Net.Sockets;
using IpcBench.Analysis.Results;
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

    // Whether it answers is a question to the socket: a handshake would add a certificate to what can go wrong.
    private static Address Cleartext(Address address) => address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : address;

    // Somebody else's socket: connect(2) needs to write to its file (unix(7)). On Windows a pipe's access list says it.
    private static bool IsRefusal(Exception e) =>
        (e as SocketException ?? e.InnerException as SocketException)?.SocketErrorCode == SocketError.AccessDenied
        || (e as IOException)?.InnerException is UnauthorizedAccessException;

    // A socket cannot be opened as a file (ENXIO); a path that opens is an ordinary file.
    private static AddressState FileState(string path)
    {
        // Opening a pipe of a folder (FIFO) waits until somebody writes to it, perhaps for ever.
        if (WholeFile.IsStream(path))
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

/// <summary>What was found at an address.</summary>
internal enum AddressState
{
    /// <summary>Nobody answers and nothing is in the way.</summary>
    Free,

    /// <summary>Something accepts connections.</summary>
    Answers,

    /// <summary>A socket file without a server behind it.</summary>
    Stale,

    /// <summary>A file or folder that is no socket, or one that this user may not open.</summary>
    Occupied,

    /// <summary>A socket or pipe that this user may not open: whether somebody serves it cannot be told.</summary>
    Denied,

    /// <summary>This system does not have the transport.</summary>
    NotHere,
}
