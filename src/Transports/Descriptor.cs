using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports;

/// <summary>File descriptors of Linux. The constants are those of fcntl.h on Linux x64 and arm64.</summary>
[SupportedOSPlatform("linux")]
public static unsafe class Descriptor
{
    private const int SetDescriptorFlags = 2, GetStatusFlags = 3, SetStatusFlags = 4; // F_SETFD, F_GETFL, F_SETFL
    private const int NonBlocking = 0x800, CloseOnExec = 1; // O_NONBLOCK, FD_CLOEXEC

    /// <summary>
    /// Makes the descriptor non-blocking, because an event loop needs reads and writes that return at once.
    /// </summary>
    public static void SetNonBlocking(int descriptor) =>
        _ = Native.FileControl(descriptor, SetStatusFlags, Native.FileControl(descriptor, GetStatusFlags, 0) | NonBlocking);

    /// <summary>
    /// Makes two connected stream sockets (socketpair(2)). The first socket is non-blocking. The second socket blocks,
    /// as most programs expect, and is inherited by every process that starts from now on.
    /// </summary>
    /// <exception cref="IOException">The system refused. The message says why.</exception>
    internal static (int Ours, int Theirs) MakePair()
    {
        var ends = stackalloc int[2];
        if (Native.SocketPair(Native.AfUnix, Native.StreamNonBlockingCloseOnExec, 0, ends) != 0)
            throw new IOException(Marshal.GetLastPInvokeErrorMessage());
        Inherit(ends[1], true);
        _ = Native.FileControl(ends[1], SetStatusFlags, 0);
        return (ends[0], ends[1]);
    }

    /// <summary>Sets whether processes that start from now on inherit the descriptor.</summary>
    internal static void Inherit(int descriptor, bool isInherited) =>
        _ = Native.FileControl(descriptor, SetDescriptorFlags, isInherited ? 0 : CloseOnExec);

    /// <summary>Makes a second descriptor of the same file, which started processes do not inherit.</summary>
    /// <exception cref="IOException">The system refused. The message says why.</exception>
    internal static int Duplicate(SafeHandle handle)
    {
        var descriptor = Native.FileControl((int)handle.DangerousGetHandle(), Native.DuplicateCloseOnExec, 0);
        GC.KeepAlive(handle);
        return descriptor >= 0 ? descriptor : throw new IOException(Marshal.GetLastPInvokeErrorMessage());
    }
}
