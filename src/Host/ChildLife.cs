using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Host;

/// <summary>Makes Windows end a child when this object is disposed or this process ends, for whatever reason.</summary>
[SupportedOSPlatform("windows")]
public sealed partial class ChildLife : IDisposable
{
    private const int JobObjectExtendedLimitInformation = 9;
    private const uint KillOnJobClose = 0x2000;

    private readonly nint job;

    /// <summary>
    /// Puts the child into a job object. Windows ends the child when the job object is closed. If Windows refuses the job
    /// object, the child may outlive this process.
    /// </summary>
    public ChildLife(Process child)
    {
        this.job = CreateJobObjectW(0, 0);
        var limits = new ExtendedLimits { Flags = KillOnJobClose };
        _ = SetInformationJobObject(this.job, JobObjectExtendedLimitInformation, in limits, Marshal.SizeOf<ExtendedLimits>())
            && AssignProcessToJobObject(this.job, child.Handle);
    }

    public void Dispose() => _ = CloseHandle(this.job);

    // JOBOBJECT_EXTENDED_LIMIT_INFORMATION on 64-bit Windows: 144 bytes, with the flags after two 8-byte times.
    [StructLayout(LayoutKind.Explicit, Size = 144)]
    private struct ExtendedLimits
    {
        [FieldOffset(16)]
        public uint Flags;
    }

    [LibraryImport("kernel32")]
    private static partial nint CreateJobObjectW(nint attributes, nint name);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool SetInformationJobObject(nint job, int kind, in ExtendedLimits limits, int size);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool AssignProcessToJobObject(nint job, nint process);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CloseHandle(nint handle);
}
