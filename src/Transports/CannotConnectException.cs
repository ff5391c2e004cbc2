namespace IpcBench.Transports;

/// <summary>Reports that a connection could not be opened. The message is the same for .NET's sockets and the event loop.</summary>
public class CannotConnectException(Address address, string why, Exception? inner = null)
    : IOException($"cannot connect to {address}: {why}", inner)
{
    // .NET has no SocketError for ENOENT, and would say "Cannot assign requested address".
    internal static CannotConnectException NoSuchFile(Address address, Exception? inner = null) =>
        new(address, "there is no such file", inner);

    internal static CannotConnectException PathTooLong(Address address, Exception inner) =>
        new(address, "the path is longer than the system allows", inner);
}
