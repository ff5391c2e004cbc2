using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

public sealed partial class ProcessTree
{
    private const uint SnapshotOfProcesses = 2;

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
        var entry = new Entry { Size = (uint)Marshal.SizeOf<Entry>() };
        for (var more = Process32FirstW(snapshot, ref entry); more; more = Process32NextW(snapshot, ref entry))
            parents[entry.Id] = entry.Parent;
        _ = CloseHandle(snapshot);
        return parents;
    }

    // PROCESSENTRY32W on 64-bit Windows: 568 bytes.
    [StructLayout(LayoutKind.Explicit, Size = 568)]
    private struct Entry
    {
        [FieldOffset(0)]
        public uint Size;

        [FieldOffset(8)]
        public int Id;

        [FieldOffset(32)]
        public int Parent;
    }

    [LibraryImport("kernel32")]
    private static partial nint CreateToolhelp32Snapshot(uint flags, uint process);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Process32FirstW(nint snapshot, ref Entry entry);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool Process32NextW(nint snapshot, ref Entry entry);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool CloseHandle(nint handle);
}
