using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

public sealed partial record ProcessTree
{
    private const uint SnapshotOfProcesses = 2;

    private static ProcessTree TakeWindows(IReadOnlyList<int> roots)
    {
        var all = Processes();
        var family = Family(roots, all.ToLookup(one => one.Parent, one => one.Id));
        var (found, user, kernel, memory) = (0, 0L, 0L, 0L);
        foreach (var id in family)
        {
            try
            {
                using var process = Process.GetProcessById(id);
                user += process.UserProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
                kernel += process.PrivilegedProcessorTime.Ticks * TimeSpan.NanosecondsPerTick;
                memory += process.WorkingSet64;
                found += roots.Contains(id) ? 1 : 0;
            }
            catch (Exception e) when (e is ArgumentException or InvalidOperationException or Win32Exception)
            {
                // Ended meanwhile, or somebody else's.
            }
        }
        return new ProcessTree(found, user, kernel, memory);
    }

    private static List<(int Id, int Parent)> Processes()
    {
        var list = new List<(int, int)>();
        var snapshot = CreateToolhelp32Snapshot(SnapshotOfProcesses, 0);
        var entry = new Entry { Size = (uint)Marshal.SizeOf<Entry>() };
        for (var more = Process32FirstW(snapshot, ref entry); more; more = Process32NextW(snapshot, ref entry))
            list.Add((entry.Id, entry.Parent));
        _ = CloseHandle(snapshot);
        return list;
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
