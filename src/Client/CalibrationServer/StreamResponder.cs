namespace IpcBench.Client.CalibrationServer;

/// <summary>Answers one connection over any stream, on the thread pool.</summary>
internal static class StreamResponder
{
    private const int BufferSize = 64 * 1024;

    /// <summary>Until the other side closes or speaks no HTTP/2. Closes the stream; never throws.</summary>
    public static async Task RunAsync(Stream stream, ReplyShelf shelf)
    {
        var connection = new ResponderConnection(shelf);
        byte[] input = new byte[BufferSize], output = new byte[BufferSize];
        var held = 0;
        await using (stream)
        {
            try
            {
                for (var read = 1; read > 0;)
                {
                    for (var filled = connection.Fill(output); filled > 0; filled = connection.Fill(output))
                        await stream.WriteAsync(output.AsMemory(0, filled));
                    read = await stream.ReadAsync(input.AsMemory(held));
                    var taken = connection.Take(input.AsSpan(0, held + read));
                    if (taken < 0)
                        return;
                    held += read - taken;
                    input.AsSpan(taken, held).CopyTo(input);
                }
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // The client has gone: that is how every connection of a calibration ends.
            }
        }
    }
}
