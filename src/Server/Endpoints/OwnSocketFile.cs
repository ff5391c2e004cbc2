using System.Net.Sockets;

namespace IpcBench.Server.Endpoints;

/// <summary>
/// The file of a Unix socket that this server has bound, on Linux. Somebody may remove it, and another server may bind there: what is then
/// at the path is not this server's. On Windows System.Net.Sockets removes whatever has the name when the socket closes.
/// </summary>
internal sealed class OwnSocketFile
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(0.2);

    private readonly string path;
    private (ulong Device, ulong Inode)? identity;

    private OwnSocketFile(string path) => (this.path, identity) = (path, SocketFile.IdentityOf(path));

    /// <summary>Takes over the file of a socket that has just been bound.</summary>
    /// <param name="path">The file.</param>
    /// <param name="socket">Its socket; afterwards the same one as an object that does not remove the file by its name.</param>
    /// <returns>The file; null where it is not this program that removes it.</returns>
    public static OwnSocketFile? TakeOver(string path, ref Socket socket)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var binder = socket;
        socket = new Socket(binder.SafeHandle);
        // Its end would close the handle that both share, and remove the file.
        GC.SuppressFinalize(binder);
        return new OwnSocketFile(path);
    }

    /// <summary>Removes the file if it is still the one that was bound. Only while its socket is open.</summary>
    public void Remove()
    {
        if (identity is not { } own)
            return;
        identity = null;
        // Another server cannot bind between the look and the removal.
        FolderLock.TryTake(this.path, Patience, out var folder);
        using (folder)
        {
            if (SocketFile.IdentityOf(this.path) != own)
                return;
            try
            {
                File.Delete(this.path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The folder may no longer be written: the next server finds a socket that nobody serves.
            }
        }
    }
}
