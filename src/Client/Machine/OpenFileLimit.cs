
namespace IpcBench.Client.Machine;

/// <summary>How many files and sockets this process may have open; <see cref="long.MaxValue"/> where nothing limits it.</summary>
internal readonly partial record struct OpenFileLimit(long Soft, long Hard)
{
    /// <summary>Descriptors beyond one per connection: the runtime's own, assemblies, epoll, logs, the results file.</summary>
    public const int Reserve = 100;

    public static OpenFileLimit Read() => OperatingSystem.IsLinux() ? ReadLinux() : new OpenFileLimit(long.MaxValue, long.MaxValue);

    /// <summary>Raises the soft limit to the hard one (any process may) and returns what holds now.</summary>
    public static OpenFileLimit Raise() => OperatingSystem.IsLinux() ? RaiseLinux() : Read();

    /// <summary>Raises the limit and makes sure of room for this many connections.</summary>
    /// <exception cref="EnvironmentException">There is none even so; the message says what to do.</exception>
    public static void Require(int connections)
    {
        var limit = Raise();
        if (!limit.Allows(connections))
            throw new EnvironmentException(
                $"{connections} connections need {connections + Reserve} open files and this process may have {limit.Soft}: raise the hard limit (ulimit -Hn) or use fewer");
    }

    /// <summary>Room for this many connections?</summary>
    public bool Allows(int connections) => Soft >= (long)connections + Reserve;
}
