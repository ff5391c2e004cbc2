namespace IpcBench.Transports;

/// <summary>Makes the errors of a failed connect, worded the same for .NET's sockets and the event loop.</summary>
internal static class CannotConnect
{
    public static IOException Because(Address address, string why, Exception? inner = null) =>
        new($"cannot connect to {address}: {why}", inner);

    // .NET has no SocketError for ENOENT, and would say "Cannot assign requested address".
    public static IOException NoSuchFile(Address address, Exception? inner = null) => Because(address, "there is no such file", inner);

    public static IOException PathTooLong(Address address, Exception inner) =>
        Because(address, "the path is longer than the system allows", inner);
}
