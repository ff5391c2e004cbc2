using System.Globalization;
using System.Net.Sockets;
using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// The socket files of earlier runs that were killed. Such a file is recognised when the process of its run has ended
/// and no server listens at the socket.
/// </summary>
internal static class LeftSockets
{
    /// <summary>The beginning of the name of each socket and pipe of this tool. The process id of the run follows.</summary>
    public const string Prefix = "grpcbench-";

    /// <summary>Removes the socket files of killed runs.</summary>
    public static void Remove()
    {
        try
        {
            foreach (var file in Directory.GetFiles(Path.GetTempPath(), "*" + Prefix + "*").Where(IsLeft))
                WholeFile.TryDelete(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The files stay.
        }
    }

    // A run in a container may share the folder, and its process id may not exist here. The servers of such a run
    // still accept connections, so a connection to the socket is tried too.
    private static bool IsLeft(string file)
    {
        var name = Path.GetFileName(file);
        var words = name[name.IndexOf(Prefix, StringComparison.Ordinal)..].Split('-');
        if (words.Length != 3 || !int.TryParse(words[1], NumberStyles.None, CultureInfo.InvariantCulture, out var run)
            || ProcessClock.Read(run) is not null)
            return false;
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(file));
            return false;
        }
        catch (SocketException e)
        {
            return e.SocketErrorCode == SocketError.ConnectionRefused;
        }
        catch (ArgumentOutOfRangeException)
        {
            return false; // the path is too long for a socket, so the file is not from this tool
        }
    }
}
