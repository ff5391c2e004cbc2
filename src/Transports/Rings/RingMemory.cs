using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Transports.Rings;

/// <summary>
/// The memory of one connection, which two processes share: a ring of bytes for each direction, and for each process a
/// word that says whether this process sleeps. Values that different sides write lie 128 bytes apart, since processors
/// fetch cache lines in pairs.
/// </summary>
internal sealed unsafe class RingMemory : IDisposable
{
    /// <summary>The capacity of the ring of each direction, in bytes. A power of two.</summary>
    public const int Capacity = 256 << 10;

    private const int HeadSize = 4096, SleepersAt = 2048, LineSize = 1024, Apart = 128;
    private const long Size = HeadSize + 2L * Capacity;

    private readonly MemoryMappedFile file;
    private readonly MemoryMappedViewAccessor view;
    private readonly byte* start;

    private RingMemory(MemoryMappedFile file)
    {
        this.file = file;
        view = file.CreateViewAccessor(0, Size);
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        start += view.PointerOffset;
    }

    /// <summary>The positions of a ring.</summary>
    [StructLayout(LayoutKind.Explicit)]
    public struct Line
    {
        /// <summary>The number of bytes that were ever written into the ring.</summary>
        [FieldOffset(0)]
        public long Written;

        /// <summary>The number of bytes that were ever read.</summary>
        [FieldOffset(Apart)]
        public long Read;

        /// <summary>1 when the writer waits until the ring is half empty.</summary>
        [FieldOffset(2 * Apart)]
        public int AwaitsRoom;
    }

    /// <summary>Makes memory that a child inherits, as a file without a name.</summary>
    /// <exception cref="IOException">The system refused. The message says why.</exception>
    [SupportedOSPlatform("linux")]
    public static (RingMemory Memory, int Descriptor) Create()
    {
        var descriptor = Native.MemoryFile("grpcbench", Native.MemoryCloseOnExec | Native.MemoryMayBeSealed);
        if (descriptor < 0)
            throw new IOException("no shared memory: " + Marshal.GetLastPInvokeErrorMessage());
        var handle = new SafeFileHandle(descriptor, ownsHandle: true);
        RandomAccess.SetLength(handle, Size);
        // The seals fix the size of the file. Otherwise the child could make the file shorter, and this process would
        // die of SIGBUS.
        _ = Native.FileControl(descriptor, Native.AddSeals, Native.SealSize);
        return (Map(handle), descriptor);
    }

    /// <summary>Maps the memory that this process has inherited from its parent.</summary>
    /// <exception cref="IOException">The descriptor is not the memory of a connection.</exception>
    [SupportedOSPlatform("linux")]
    public static RingMemory Open(int descriptor)
    {
        var handle = new SafeFileHandle(descriptor, ownsHandle: true);
        return RandomAccess.GetLength(handle) == Size ? Map(handle)
            : throw new IOException("the descriptor is not the memory of a connection");
    }

    /// <summary>Makes memory with a name, by which a child opens it.</summary>
    [SupportedOSPlatform("windows")]
    public static RingMemory Create(string name) => new(MemoryMappedFile.CreateNew(name, Size));

    /// <summary>Opens the memory that the parent of this process has made.</summary>
    /// <exception cref="IOException">There is no memory of this name.</exception>
    [SupportedOSPlatform("windows")]
    public static RingMemory Open(string name) => new(MemoryMappedFile.OpenExisting(name));

    /// <summary>The positions of a ring. Ring 0 carries bytes to the child, ring 1 to the client.</summary>
    public Line* LineOf(int ring) => (Line*)(start + ring * LineSize);

    /// <summary>The bytes of a ring. Ring 0 carries bytes to the child, ring 1 to the client.</summary>
    public byte* DataOf(int ring) => start + HeadSize + (nint)ring * Capacity;

    /// <summary>A word that holds 1 while a side sleeps. Side 0 is the client, side 1 the child.</summary>
    public int* SleeperOf(int side) => (int*)(start + SleepersAt + side * Apart);

    public void Dispose()
    {
        view.SafeMemoryMappedViewHandle.ReleasePointer();
        view.Dispose();
        file.Dispose();
    }

    private static RingMemory Map(SafeFileHandle handle) => new(MemoryMappedFile.CreateFromFile(
        handle, null, Size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: false));
}
