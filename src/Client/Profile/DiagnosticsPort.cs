using System.Buffers.Binary;
using System.Net.Sockets;

namespace IpcBench.Client.Profile;

/// <summary>
/// The socket on which a .NET process takes commands from its own user. The command EnablePerfMap makes the runtime write the
/// names of compiled methods to a file for perf(1), and DisablePerfMap ends the writing (dotnet/diagnostics,
/// documentation/design-docs/ipc-protocol.md).
/// </summary>
internal static class DiagnosticsPort
{
    // The command set Process with its commands EnablePerfMap and DisablePerfMap.
    private const byte Process = 4, Enable = 5, Disable = 6, Server = 0xff, Ok = 0;

    // The argument of EnablePerfMap for the file perf-PID.map, without other files.
    private const int PerfMap = 3;

    private const int HeaderLength = 20;

    /// <summary>The longest wait for an answer. A stopped process does not answer, and must not delay the run.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Asks the process to begin its file of method names. Returns false when the process is not .NET, does not answer or
    /// refuses.
    /// </summary>
    public static Task<bool> EnableAsync(RuntimeFolder folder)
    {
        var kind = new byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(kind, PerfMap);
        return SendAsync(folder, Enable, kind);
    }

    /// <summary>Asks the process to end its file of method names. Returns false in the same cases as <see cref="EnableAsync"/>.</summary>
    public static Task<bool> DisableAsync(RuntimeFolder folder) => SendAsync(folder, Disable, []);

    private static async Task<bool> SendAsync(RuntimeFolder folder, byte command, byte[] payload)
    {
        if (folder.Port is not { } path)
            return false;
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        using var patience = new CancellationTokenSource(Patience);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), patience.Token);
            await using var stream = new NetworkStream(socket);
            await stream.WriteAsync(Message(command, payload), patience.Token);
            var answer = new byte[HeaderLength];
            await stream.ReadExactlyAsync(answer, patience.Token);
            return answer[16] == Server && answer[17] == Ok;
        }
        catch (Exception e) when (e is SocketException or IOException or OperationCanceledException or ArgumentException)
        {
            return false;
        }
    }

    /// <summary>Makes a message: magic, length, command set, command, two bytes that are reserved, and the payload.</summary>
    internal static byte[] Message(byte command, byte[] payload)
    {
        var message = new byte[HeaderLength + payload.Length];
        "DOTNET_IPC_V1\0"u8.CopyTo(message);
        BinaryPrimitives.WriteUInt16LittleEndian(message.AsSpan(14), (ushort)message.Length);
        (message[16], message[17]) = (Process, command);
        payload.CopyTo(message.AsSpan(HeaderLength));
        return message;
    }
}
