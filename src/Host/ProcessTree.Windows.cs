using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Host;

public sealed partial class ProcessTree
{
    private const uint SnapshotOfProcesses = 2;
    private const uint QueryLimitedInformation = 0x1000;
    private const uint StillActive = 259;

    /// <summary>
    /// Reads the clock by GetProcessTimes and K32GetProcessMemoryInfo, which read one process. System.Diagnostics.Process
    /// lists all processes to find the memory of one, so the cost of reading all would grow with the square of their number.
    /// </summary>
    [SupportedOSPlatform("windows")]
    internal static ProcessClock? ClockOfWindows(int id)
    {
        var process = OpenProcess(QueryLimitedInformation, false, id);
        if (process == 0)
            return null;
        try
        {
            // An ended process can still be opened while another process holds a handle of it. So the exit code is checked.
            if (!GetExitCodeProcess(process, out var code) || code != StillActive
                || !GetProcessTimes(process, out var created, out _, out var kernel, out var user))
                return null;
            var memory = new MemoryCounters { Size = (uint)Marshal.SizeOf<MemoryCounters>() };
            var isTold = K32GetProcessMemoryInfo(process, ref memory, memory.Size);
            var (userNs, kernelNs) = (user * TimeSpan.NanosecondsPerTick, kernel * TimeSpan.NanosecondsPerTick);
            return new(created, userNs + kernelNs, userNs, kernelNs, 0, 0) { WorkingSetBytes = isTold ? memory.WorkingSet : 0 };
        }
        finally
        {
            _ = CloseHandle(process);
        }
    }

    private static string NameOfWindows(int process)
    {
        try
        {
            using var found = Process.GetProcessById(process);
            return found.ProcessName;
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return "";
        }
    }

    private static Dictionary<int, int> ParentsWindows()
    {
        var parents = new Dictionary<int, int>();
        var snapshot = CreateToolhelp32Snapshot(SnapshotOfProcesses, 0);
        var entry = new ProcessEntry { Size = (uint)Marshal.SizeOf<ProcessEntry>() };
        for (var more = Process32FirstW(snapshot, ref entry); more; more = Process32NextW(snapshot, ref entry))
            parents[entry.Id] = entry.Parent;
        _ = CloseHandle(snapshot);
        return parents;
    }

    // PROCESSENTRY32W on 64-bit Windows: 568 bytes.
    [StructLayout(LayoutKind.Explicit, Size = 568)]
    private struct ProcessEntry
    {
        [FieldOffset(0)]
        public uint Size;

        [FieldOffset(8)]
        public int Id;

        [FieldOffset(32)]
        public int Parent;
    }

    // PROCESS_MEMORY_COUNTERS on 64-bit Windows: 72 bytes.
    [StructLayout(LayoutKind.Explicit, Size = 72)]
    private struct MemoryCounters
    {
        [FieldOffset(0)]
        public uint Size;

        [FieldOffset(16)]
        public long WorkingSet;
    }

    [LibraryImport("kernel32")]
    private static partial nint OpenProcess(uint access, [MarshalAs(UnmanagedType.Bool)] bool inherit, int process);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetExitCodeProcess(nint process, out uint code);

    // The times are FILETIMEs, in ticks of 100 ns. The first two count from the year 1601.
    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetProcessTimes(nint process, out long created, out long ended, out long kernel, out long user);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool K32GetProcessMemoryInfo(nint process, ref MemoryCounters counters, uint size);

    [LibraryImport("kernel32")]
    private static partial nint CreateToolhelp32Snapshot(uint flags, uint process);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Process32FirstW(nint snapshot, ref ProcessEntry entry);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Process32NextW(nint snapshot, ref ProcessEntry entry);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CloseHandle(nint handle);
}
