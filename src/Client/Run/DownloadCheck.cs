using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Whether servers can answer what a run will ask them for, found out before it: by their limits, or by one call.</summary>
internal static class DownloadCheck
{
    // Larger ones may take longer than anybody waits for a run to begin.
    private const long LargestAsked = 32 << 20;

    private const int InvalidArgument = 3, ResourceExhausted = 8, OutOfRange = 11, Unimplemented = 12;

    /// <exception cref="UsageException">A size is beyond a server's limit.</exception>
    /// <exception cref="EnvironmentException">A server does not know the method.</exception>
    public static async Task CheckAsync(
        RunOptions options, IReadOnlyDictionary<Address, ServerLink> links, CancellationToken cancellation)
    {
        if (options.Call is not null || !options.Protocols.Any(ProtocolTable.IsGrpcServed))
            return;
        var largest = options.Sizes.Max();
        foreach (var (address, link) in links)
        {
            if (link.Description is null)
                await AskAsync(address, link, Math.Min(largest, LargestAsked), cancellation);
            else if (link.Description.Limits is { MaxSize: > 0 and var limit } && largest > limit)
                throw new UsageException(
                    $"-s {largest} is beyond the limit of the server at {address}, {limit} bytes: ask for less, or start a server that "
                        + "allows more (serve --max-size) and name it with -U");
        }
    }

    private static async Task AskAsync(Address address, ServerLink link, long size, CancellationToken cancellation)
    {
        GrpcAnswer? answer;
        try
        {
            answer = await link.DownloadAsync(size, cancellation);
        }
        catch (IOException)
        {
            return; // the load fails too, and its message says more
        }
        if (answer is { HttpStatus: not 200 } or { Status: Unimplemented })
            throw new EnvironmentException(
                $"{address} answers, but does not know ipcbench.v1.Bench/Download ({answer.StatusText}), which is what is measured: "
                    + "name one of its own methods with --call (--list shows them)");
        if (answer is { Status: InvalidArgument or ResourceExhausted or OutOfRange })
            throw new UsageException($"{address} refuses -s {size} ({answer.StatusText}): ask for less, or raise that server's limit");
    }
}
