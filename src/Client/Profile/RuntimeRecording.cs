namespace IpcBench.Client.Profile;

/// <summary>
/// Samples that .NET runtimes take of their own threads (EventPipe). This needs no privileges. A runtime looks at all its threads
/// once in a millisecond, also at threads that wait, and does not see its own work, such as collections.
/// </summary>
internal sealed class RuntimeRecording : IRecording
{
    /// <summary>The number of samples of a thread in a second.</summary>
    public const int PerSecond = 1000;

    private const string Sampling = "Microsoft-DotNETCore-SampleProfiler";

    // A window of 0.5 s has some 10 MB, most of which are the names of methods.
    private const int MostBytes = 256 << 20;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly List<Session> sessions = [];

    /// <summary>Starts to sample. When this method returns, the runtimes are already sampling.</summary>
    /// <exception cref="IOException">No process is .NET, or none answers.</exception>
    public static async Task<RuntimeRecording> StartAsync(IEnumerable<int> processes)
    {
        var recording = new RuntimeRecording();
        foreach (var process in processes)
        {
            // A process without an answer may have ended since it was found.
            if (new RuntimeFolder(process).Port is { } port && await DiagnosticsPort.TraceAsync(port, Sampling) is { } trace)
                recording.sessions.Add(new(process, port, trace));
        }
        return recording.sessions.Count > 0 ? recording : throw new IOException("no runtime answers at its diagnostics port");
    }

    public async Task StopAsync()
    {
        foreach (var session in sessions)
            await DiagnosticsPort.EndTraceAsync(session.Port, session.Id);
        try
        {
            // The runtime sends the names of all methods after the last sample, and closes the connection.
            await Task.WhenAll(sessions.Select(session => session.Received)).WaitAsync(Patience);
        }
        catch (TimeoutException e)
        {
            throw new IOException("the runtime did not end its samples in 20 s", e);
        }
    }

    public async IAsyncEnumerable<StackSample> ReadAsync()
    {
        foreach (var session in sessions)
        {
            foreach (var sample in RuntimeSamples.Read(session.Process, await session.Received))
                yield return sample;
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var session in sessions)
            await session.Stream.DisposeAsync(); // without its connection, the runtime ends the session
    }

    private sealed class Session
    {
        public Session(int process, string port, DiagnosticsPort.Trace trace)
        {
            (Process, Port, Id, Stream) = (process, port, trace.Id, trace.Stream);
            Received = ReceiveAsync();
        }

        public int Process { get; }

        public string Port { get; }

        public ulong Id { get; }

        public Stream Stream { get; }

        public Task<ReadOnlyMemory<byte>> Received { get; }

        // The bytes are received all the time, because the runtime drops samples when its buffer is full.
        private async Task<ReadOnlyMemory<byte>> ReceiveAsync()
        {
            var bytes = new MemoryStream();
            try
            {
                var part = new byte[1 << 16];
                for (int count; (count = await Stream.ReadAsync(part)) > 0;)
                {
                    bytes.Write(part, 0, count);
                    if (bytes.Length > MostBytes)
                    {
                        await Stream.DisposeAsync(); // the runtime waits for its reader, and would not end the session
                        throw new InvalidDataException("the runtime sent more than 256 MB");
                    }
                }
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // The process has ended, so the trace has no end and is not used (NettraceReader).
            }
            return bytes.GetBuffer().AsMemory(0, (int)bytes.Length);
        }
    }
}
