using System.IO.Pipes;

namespace IpcBench.Transports;

/// <summary>Connects to a named pipe of this machine. On Unix .NET's pipe API is a Unix socket behind the scenes.</summary>
public sealed class NamedPipeConnector(string name) : Connector
{
    /// <summary>What <c>pipe:</c> really is on systems without named pipes; every report that shows a pipe says it.</summary>
    public const string UnixNote = "Unix socket behind .NET's pipe API";

    /// <summary>What a report must say of pipes on this system; empty where they are what they say.</summary>
    public static string Note => OperatingSystem.IsWindows() ? "" : UnixNote;

    /// <summary>The socket file that .NET's pipe API uses for <paramref name="pipeName"/> on Unix (runtime: PipeStream.Unix.cs, GetPipePath).</summary>
    public static string UnixSocketPath(string pipeName) => Path.Combine(Path.GetTempPath(), "CoreFxPipe_" + pipeName);

    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var pipe = new NamedPipeClientStream(".", name, PipeDirection.InOut, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
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
}
