using System.Buffers.Binary;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Text;

namespace IpcBench.Client.Profile;

/// <summary>
/// The socket, or on Windows the named pipe, on which a .NET process takes commands from its own user (dotnet/diagnostics,
/// documentation/design-docs/ipc-protocol.md).
/// </summary>
internal static class DiagnosticsPort
{
    // Command sets, their commands, and the answer to a command that was carried out.
    private const byte EventPipe = 2, StopTracing = 1, CollectTracing = 3;
    private const byte Process = 4, EnablePerfMap = 5, DisablePerfMap = 6;
    private const byte Server = 0xff, Ok = 0;

    // The argument of EnablePerfMap for the file perf-PID.map, without other files.
    private const int PerfMap = 3;

    // The arguments of CollectTracing2: the runtime's buffer in MB, the format nettrace, and the level "informational" of a provider.
    private const int BufferMegabytes = 64, Nettrace = 1, Informational = 4;

    private const int HeaderLength = 20;

    /// <summary>The longest wait for an answer. A stopped process does not answer, and must not delay the run.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Asks the process to write the names of compiled methods to a file for perf(1). Returns false when the process is not .NET, does
    /// not answer or refuses.
    /// </summary>
    public static Task<bool> EnableMapAsync(string? port) => AskAsync(port, Process, EnablePerfMap, BitConverter.GetBytes(PerfMap));

    /// <summary>Asks the process to end this file. Returns false in the same cases as <see cref="EnableMapAsync"/>.</summary>
    public static Task<bool> DisableMapAsync(string? port) => AskAsync(port, Process, DisablePerfMap, []);

    /// <summary>
    /// Asks the runtime for events. The runtime sends them in the format nettrace, and at the end the names of all methods.
    /// Null when the process does not answer or refuses.
    /// </summary>
    public static async Task<Trace?> TraceAsync(string port, string provider)
    {
        var payload = new MemoryStream();
        await using (var writer = new BinaryWriter(payload))
        {
            writer.Write(BufferMegabytes);
            writer.Write(Nettrace);
            writer.Write(true); // with the names of methods
            writer.Write(1); // one provider
            writer.Write(0L); // all its events
            writer.Write(Informational);
            writer.Write(provider.Length + 1);
            writer.Write(Encoding.Unicode.GetBytes(provider + '\0'));
            writer.Write(0); // no filter
        }
        if (await SendAsync(port, EventPipe, CollectTracing, payload.ToArray()) is not ({ } stream, var answer))
            return null;
        if (answer.Length == sizeof(ulong))
            return new Trace(BinaryPrimitives.ReadUInt64LittleEndian(answer), stream);
        await stream.DisposeAsync();
        return null;
    }

    /// <summary>Asks the runtime to end the events. Returns false when the process does not answer or refuses.</summary>
    public static Task<bool> EndTraceAsync(string port, ulong trace) =>
        AskAsync(port, EventPipe, StopTracing, BitConverter.GetBytes(trace));

    private static async Task<bool> AskAsync(string? port, byte set, byte command, byte[] payload)
    {
        var answer = await SendAsync(port, set, command, payload);
        if (answer is not ({ } stream, _))
            return false;
        await stream.DisposeAsync();
        return true;
    }

    /// <summary>
    /// Sends a command. Returns the open stream and the answer's payload, or null when the process does not carry out the command.
    /// </summary>
    private static async Task<(Stream Stream, byte[] Answer)?> SendAsync(string? port, byte set, byte command, byte[] payload)
    {
        if (port is null)
            return null;
        using var patience = new CancellationTokenSource(Patience);
        Stream? stream = null;
        try
        {
            stream = await ConnectAsync(port, patience.Token);
            await stream.WriteAsync(Message(set, command, payload), patience.Token);
            var header = new byte[HeaderLength];
            await stream.ReadExactlyAsync(header, patience.Token);
            var answer = new byte[Math.Max(0, BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(14)) - HeaderLength)];
            await stream.ReadExactlyAsync(answer, patience.Token);
            if (header[16] == Server && header[17] == Ok)
                return (stream, answer);
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException or ArgumentException
            or UnauthorizedAccessException)
        {
            // The caller gets null.
        }
        if (stream is not null)
            await stream.DisposeAsync();
        return null;
    }

    private static async Task<Stream> ConnectAsync(string port, CancellationToken cancellation)
    {
        if (OperatingSystem.IsWindows())
        {
            var pipe = new NamedPipeClientStream(".", port, PipeDirection.InOut, PipeOptions.Asynchronous);
            try
            {
                await pipe.ConnectAsync(cancellation);
                return pipe;
            }
            catch
            {
                await pipe.DisposeAsync();
                throw;
            }
        }
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(port), cancellation);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Makes a message: magic, length, command set, command, two bytes that are reserved, and the payload.</summary>
    internal static byte[] Message(byte set, byte command, byte[] payload)
    {
        var message = new byte[HeaderLength + payload.Length];
        "DOTNET_IPC_V1\0"u8.CopyTo(message);
        BinaryPrimitives.WriteUInt16LittleEndian(message.AsSpan(14), (ushort)message.Length);
        (message[16], message[17]) = (set, command);
        payload.CopyTo(message.AsSpan(HeaderLength));
        return message;
    }

    /// <summary>A stream of events.</summary>
    /// <param name="Id">The runtime's number of the session, with which the session is ended.</param>
    internal sealed record Trace(ulong Id, Stream Stream);
}
