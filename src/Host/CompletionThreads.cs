using System.Globalization;

namespace IpcBench.Host;

/// <summary>
/// Limits the threads on which the framework's own sockets and pipes complete, where this tool's event loop does not carry them.
/// </summary>
public static class CompletionThreads
{
    // Read by System.Net.Sockets when the first socket is made (SocketAsyncEngine.Unix.cs).
    private const string InlineVariable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";
    private const string CountVariable = "DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT";

    /// <summary>
    /// Sockets complete on the thread that found them ready, without the thread pool. Must run before the first socket exists; Windows has
    /// no such choice.
    /// </summary>
    public static void Inline() => Environment.SetEnvironmentVariable(InlineVariable, "1");

    /// <summary>
    /// Must run before the first socket exists. Returns the variables it set with the values they had, which a child process must get back.
    /// </summary>
    public static IReadOnlyDictionary<string, string?> Limit(int threads)
    {
        if (OperatingSystem.IsWindows())
        {
            // Completions run on pool threads there. SetMaxThreads refuses a maximum below the minimum or below the CPUs.
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
