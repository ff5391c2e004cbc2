using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>Addresses that no other test uses.</summary>
internal static class Addresses
{
    public static Address Tcp => new Address.Tcp("localhost", 0);

    public static Address Tls => new Address.Tls("localhost", 0);

    public static Address.Unix Unix() => new(Path.Combine(Path.GetTempPath(), $"gb-{Guid.NewGuid():N}.sock"));

    public static Address.Pipe Pipe() => new($"gb-{Guid.NewGuid():N}");

    /// <summary>Makes an address of the kind, such as <c>tcp</c>.</summary>
    public static Address Of(string kind) => kind switch
    {
        "tcp" => Tcp,
        "tls" => Tls,
        "unix" => Unix(),
        "unix-abstract" => new Address.UnixAbstract($"gb-{Guid.NewGuid():N}"),
        "pipe" => Pipe(),
        _ => throw new ArgumentException(kind),
    };

    /// <summary>The transports of this system.</summary>
    public static string[] Kinds =>
        OperatingSystem.IsLinux() ? ["tcp", "tls", "unix", "unix-abstract", "pipe"] : ["tcp", "tls", "unix", "pipe"];
}
