namespace IpcBench.Server.Tests.Support;

/// <summary>How long a test waits for an event: far longer than the event takes on any machine.</summary>
internal static class Limits
{
    public static readonly TimeSpan Wait = TimeSpan.FromSeconds(60);

    /// <summary>Returns the value once it no longer changes, which means that the sender waits.</summary>
    public static async Task<long> StalledAsync(Func<long> value)
    {
        using var limit = new CancellationTokenSource(Wait);
        for (var (same, last) = (0, -1L); ; last = value())
        {
            same = last > 0 && last == value() ? same + 1 : 0;
            if (same == 20)
                return last;
            await Task.Delay(10, limit.Token);
        }
    }
}
