using System.Diagnostics;
using System.Globalization;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>What the servers that this tool starts have in common: addresses of their own, and how they end.</summary>
internal static class ChildProcess
{
    /// <summary>Where no other run listens: several runs at once must not meet.</summary>
    /// <param name="kind">Of an own server: <c>tcp</c>, <c>tls</c>, <c>unix</c>, <c>pipe</c>.</param>
    public static Address PrivateAddress(string kind)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"grpcbench-{Environment.ProcessId}-{Guid.NewGuid().ToString("N")[..8]}");
        return kind switch
        {
            "tcp" => new Address.Tcp("localhost", 0),
            "tls" => new Address.Tls("localhost", 0),
            "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), name + ".sock")),
            "pipe" => new Address.Pipe(name),
            _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "tcp, tls, unix or pipe"),
        };
    }

    /// <summary>
    /// Closes its standard input, which is its order to end, and kills it when it has not ended in time. One that was killed, by whomever,
    /// could not remove its sockets: that is done here.
    /// </summary>
    public static async Task EndAsync(Process process, TimeSpan patience, IEnumerable<Address> addresses)
    {
        try
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync(CancellationToken.None).WaitAsync(patience);
        }
        catch (Exception e) when (e is TimeoutException or IOException or InvalidOperationException)
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit(patience);
        }
        process.Dispose();
        foreach (var address in addresses)
            RemoveSocket(address);
    }

    private static void RemoveSocket(Address address)
    {
        try
        {
            if (address is Address.Unix unix)
                File.Delete(UnixSocketPath.Resolve(unix.Path));
            else if (address is Address.Pipe pipe && !OperatingSystem.IsWindows())
                File.Delete(NamedPipeConnector.UnixSocketPath(pipe.Name));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It stays: what was measured is worth more than a sentence about it.
        }
    }
}
