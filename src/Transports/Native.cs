using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports;

/// <summary>
/// The Linux system calls of sockets, pipes and the event loop. The constants are those of x86-64 and arm64 (asm-generic).
/// </summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class Native
{
    public const int AfUnix = 1;
    public const int AfInet = 2;
    public const int AfInet6 = 10;
    public const int NonBlockingCloseOnExec = 0x800 | 0x80000;
    public const int StreamNonBlockingCloseOnExec = 1 | NonBlockingCloseOnExec;
    public const int SolSocket = 1;
    public const int SoError = 4;
    public const int SoSendBuffer = 7;
    public const int SoReceiveBuffer = 8;
    public const int SoLinger = 13;
    public const int SoDomain = 39;
    public const int IpProtoTcp = 6;
    public const int TcpNoDelay = 1;
    public const int MsgNoSignal = 0x4000;
    public const int MsgControlTruncated = 0x8;
    public const int CloseOnExec = 0x80000;
    public const int EventFdNonBlocking = 0x800;
    public const int PrSetTimerSlack = 29;

    public const short PollIn = 0x1;

    public const int EpollAdd = 1;
    public const int EpollDelete = 2;
    public const int EpollModify = 3;
    public const uint EpollIn = 0x1;
    public const uint EpollUrgent = 0x2; // EPOLLPRI
    public const uint EpollOut = 0x4;
    public const uint EpollError = 0x8;
    public const uint EpollHangUp = 0x10;
    public const uint EpollReadHangUp = 0x2000;
    public const uint EpollOneShot = 1u << 30;
    public const uint EpollEdge = 1u << 31;

    public const int ShutdownSend = 1;
    public const int ShutdownBoth = 2;

    public const int OpenFiles = 7; // RLIMIT_NOFILE
    public const int DuplicateCloseOnExec = 1030; // F_DUPFD_CLOEXEC
    public const int AddSeals = 1033; // F_ADD_SEALS
    public const int SealSize = 0x1 | 0x2 | 0x4; // F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
    public const uint MemoryCloseOnExec = 0x1; // MFD_CLOEXEC
    public const uint MemoryMayBeSealed = 0x2; // MFD_ALLOW_SEALING

    public const int NotPermitted = 1;
    public const int NoEntry = 2;
    public const int Interrupted = 4;
    public const int Again = 11;
    public const int TooManyOpenFiles = 24;
    public const int BrokenPipe = 32;
    public const int FunctionNotImplemented = 38;
    public const int AddressNotAvailable = 99;
    public const int ConnectionAborted = 103;
    public const int ConnectionReset = 104;
    public const int InProgress = 115;

    [StructLayout(LayoutKind.Sequential)]
    public struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    /// <summary>struct pollfd.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PollDescriptor
    {
        public int Descriptor;
        public short Events;
        public short Found;
    }

    /// <summary>struct iovec.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Segment
    {
        public byte* Start;
        public nint Length;
    }

    /// <summary>struct msghdr of 64-bit systems.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct MessageHeader
    {
        public void* Name;
        public int NameLength;
        public Segment* Segments;
        public nint SegmentCount;
        public void* Control;
        public nint ControlLength;
        public int Flags;
    }

    /// <summary>struct rlimit.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Limit
    {
        public ulong Soft;
        public ulong Hard;
    }

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int EpollControl(int epoll, int operation, int fd, byte* epollEvent);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int EpollWait(int epoll, byte* events, int capacity, int timeoutMs);

    /// <summary>
    /// Calls epoll_pwait2(2), which Linux has since 5.11. glibc before 2.35 and musl have no function for this system
    /// call. So the call is made by its number, which is the same on all processors.
    /// </summary>
    public static int EpollWaitNs(int epoll, byte* events, int capacity, Timespec* timeout) =>
        (int)SystemCall(441, epoll, events, capacity, timeout, null, 0);

    /// <summary>
    /// Calls futex(2) without a time-out. No C library has a function for futex(2), and the number of the system call
    /// depends on the processor.
    /// </summary>
    public static void Futex(int* word, nint operation, nint value) =>
        SystemCall(FutexNumber, (nint)word, (byte*)operation, value, null, null, 0);

    private static readonly nint FutexNumber = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 202 : 98;

    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MemoryFile(string name, uint flags);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint SystemCall(
        nint number, nint epoll, byte* events, nint capacity, Timespec* timeout, void* signals, nint signalsSize);

    [LibraryImport("libc", EntryPoint = "ppoll", SetLastError = true)]
    public static partial int Poll(PollDescriptor* descriptors, nuint count, Timespec* timeout, void* signals);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int EventFd(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static partial nint Write(int fd, void* buffer, nint count);

    [LibraryImport("libc", EntryPoint = "writev", SetLastError = true)]
    public static partial nint WriteSegments(int fd, Segment* segments, int count);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    public static partial nint Read(int fd, void* buffer, nint count);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int fd);

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    public static partial int Socket(int family, int type, int protocol);

    [LibraryImport("libc", EntryPoint = "socketpair", SetLastError = true)]
    public static partial int SocketPair(int family, int type, int protocol, int* ends);

    [LibraryImport("libc", EntryPoint = "connect", SetLastError = true)]
    public static partial int Connect(int fd, byte* address, int length);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int fd, byte* buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    public static partial nint ReceiveMessage(int fd, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int fd, byte* buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    public static partial nint SendMessage(int fd, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    public static partial int Accept(int fd, byte* address, int* length, int flags);

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    public static partial int GetLimit(int resource, Limit* limit);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int FileControl(int fd, int command, int argument);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int fd, int how);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    public static partial int SetSocketOption(int fd, int level, int name, void* value, int length);

    [LibraryImport("libc", EntryPoint = "getsockopt", SetLastError = true)]
    public static partial int GetSocketOption(int fd, int level, int name, void* value, int* length);

    [LibraryImport("libc", EntryPoint = "nanosleep")]
    public static partial int Sleep(Timespec* request, Timespec* remaining);

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    public static partial int ProcessControl(int option, nuint value, nuint unused1, nuint unused2, nuint unused3);
}
