using System.Net.Sockets;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Finds out whether a server answers in HTTP/1.1, after a call in HTTP/2 failed. The error of SocketsHttpHandler does not
/// show this: if the connection ends before its first request, the handler forgets the error code of the server.
/// </summary>
internal static class Http1Question
{
    private static ReadOnlyMemory<byte> Request { get; } = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray();

    /// <summary>True if the server answers in HTTP/1.x. False if it answers otherwise, fails, or does not answer in time.</summary>
    public static async Task<bool> IsAnsweredAsync(Connector connector, CancellationToken cancellation)
    {
        try
        {
            await using var stream = await connector.ConnectAsync(cancellation);
            try
            {
                await stream.WriteAsync(Request, cancellation);
            }
            catch (IOException)
            {
                // The server may have answered and closed the connection already. Its answer can still be read.
            }
            var answer = new byte["HTTP/1."u8.Length];
            await stream.ReadExactlyAsync(answer, cancellation);
            return answer.AsSpan().SequenceEqual("HTTP/1."u8);
        }
        catch (Exception e) when (e is IOException or SocketException or OperationCanceledException)
        {
            return false;
        }
    }
}
