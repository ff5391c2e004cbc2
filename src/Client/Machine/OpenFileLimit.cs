namespace IpcBench.Client.Machine;

/// <summary>How many files and sockets this process may have open; <see cref="long.MaxValue"/> where nothing limits it.</summary>
internal readonly partial record struct OpenFileLimit(long Soft, long Hard)
{
    /// <summary>Descriptors beyond one per connection: the runtime's own, assemblies, epoll, logs, the results file.</summary>
    public const int Reserve = 100;

    public static OpenFileLimit Read() => OperatingSystem.IsLinux() ? ReadLinux() : new OpenFileLimit(long.MaxValue, long.MaxValue);

    /// <summary>Raises the soft limit to the hard one (any process may) and returns what holds now.</summary>
    public static OpenFileLimit Raise() => OperatingSystem.IsLinux() ? RaiseLinux() : Read();

    /// <summary>Room for this many connections?</summary>
    public bool Allows(int connections) => Soft >= (long)connections + Reserve;
}
