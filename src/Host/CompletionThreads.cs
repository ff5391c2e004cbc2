using System.Globalization;

namespace IpcBench.Host;

/// <summary>
/// Limits the threads on which operations of .NET's own sockets and pipes complete. These sockets and pipes carry all
/// connections that this tool's event loop does not carry.
/// </summary>
public static class CompletionThreads
{
    // System.Net.Sockets reads the variables when the first socket is created (SocketAsyncEngine.Unix.cs).
    private const string InlineVariable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";
    private const string CountVariable = "DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT";

    /// <summary>
    /// Lets a socket operation complete on the thread that found the socket ready, without the thread pool. Call this
    /// before the first socket exists. Windows has no such setting.
    /// </summary>
    public static void Inline() => Environment.SetEnvironmentVariable(InlineVariable, "1");

    /// <summary>
    /// Limits the completion threads to this number. Call this before the first socket exists. Returns the old values
    /// of the environment variables that this method sets, because child processes get the old values. Empty on
    /// Windows.
    /// </summary>
    public static IReadOnlyDictionary<string, string?> Limit(int threads)
    {
        if (OperatingSystem.IsWindows())
        {
            // On Windows, completions run on pool threads. SetMaxThreads refuses a maximum below the minimum or below the number of CPUs.
            ThreadPool.SetMinThreads(Math.Min(threads, Environment.ProcessorCount), Math.Min(threads, Environment.ProcessorCount));
            ThreadPool.SetMaxThreads(Math.Max(threads, Environment.ProcessorCount), Math.Max(threads, Environment.ProcessorCount));
            return new Dictionary<string, string?>();
        }
        var values = new Dictionary<string, string>
        {
            [InlineVariable] = "1",
            [CountVariable] = threads.ToString(CultureInfo.InvariantCulture),
        };
        var originals = values.Keys.ToDictionary(name => name, Environment.GetEnvironmentVariable);
        foreach (var (name, value) in values)
        {
            if (originals[name] is null)
                Environment.SetEnvironmentVariable(name, value);
        }
        return originals;
    }
}
