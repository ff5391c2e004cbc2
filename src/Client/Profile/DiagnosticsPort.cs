using System.Buffers.Binary;
using System.Net.Sockets;

namespace IpcBench.Client.Profile;

/// <summary>
/// The socket on which a .NET process takes commands of its own user. Two commands of dotnet/diagnostics
/// (documentation/design-docs/ipc-protocol.md) make the runtime write the names of compiled methods for perf(1), and end this.
/// </summary>
internal static class DiagnosticsPort
{
    // The command set Process with its commands EnablePerfMap and DisablePerfMap.
    private const byte Process = 4, Enable = 5, Disable = 6, Server = 0xff, Ok = 0;

    // The kinds of EnablePerfMap. This one is the file perf-PID.map alone.
    private const int PerfMap = 3;

    private const int HeaderLength = 20;

    /// <summary>A stopped process takes no command, and must not hold up the run.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>Starts the file. Returns false when the process is not .NET, does not answer or refuses.</summary>
    public static Task<bool> EnableAsync(RuntimeFolder folder)
    {
        var kind = new byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(kind, PerfMap);
        return SendAsync(folder, Enable, kind);
    }

    /// <summary>Ends the file.</summary>
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
            await socket.SendAsync(Message(command, payload), patience.Token);
            var answer = new byte[HeaderLength];
            for (var read = 0; read < answer.Length;)
            {
                var more = await socket.ReceiveAsync(answer.AsMemory(read), patience.Token);
                if (more == 0)
                    return false;
                read += more;
            }
            return answer[16] == Server && answer[17] == Ok;
        }
        catch (Exception e) when (e is SocketException or OperationCanceledException or ArgumentException)
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
