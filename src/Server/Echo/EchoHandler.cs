using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Echo;

/// <summary>Sends every byte of a connection back.</summary>
internal static class EchoHandler
{
    // The most bytes that may wait for one client, besides the transport's own buffers.
    private const int MostAtOnce = 64 << 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Serves one connection until it ends or the server stops.</summary>
    /// <param name="hold">
    /// Called before each answer: does the work of <c>--work</c>, and delays the answer for tests. Null for neither.
    /// </param>
    public static async Task RunAsync(ConnectionContext connection, Func<ValueTask>? hold)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        var watch = StalledReader.Watch(connection, Patience);
        await using var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            .UnsafeRegister(static reader => ((PipeReader)reader!).CancelPendingRead(), input) ?? default;
        try
        {
            while (true)
            {
                var read = await input.ReadAsync();
                if (read.IsCanceled || (read.Buffer.IsEmpty && read.IsCompleted))
                    return;
                var part = read.Buffer.Slice(0, Math.Min(read.Buffer.Length, MostAtOnce));
                if (hold is not null)
                    await hold();
                var isOpen = await ReturnAsync(output, part, watch);
                input.AdvanceTo(part.End);
                if (!isOpen)
                    return;
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The client closed the connection in the middle of an echo, which is how these connections usually end.
        }
    }

    /// <summary>Sends the bytes back. Returns false when the connection can send nothing more.</summary>
    private static ValueTask<bool> ReturnAsync(PipeWriter output, in ReadOnlySequence<byte> bytes, StalledReader watch)
    {
        foreach (var segment in bytes)
            output.Write(segment.Span);
        return watch.FlushAsync(output);
    }
}
