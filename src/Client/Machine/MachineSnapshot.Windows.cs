using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Client.Machine;

internal sealed partial record MachineSnapshot
{
    // Steps are those of the clock interrupt, up to 15.6 ms. Interrupt and steal time are not told.
    private static MachineSnapshot? TakeWindows()
    {
        var timestamp = Stopwatch.GetTimestamp();
        return GetSystemTimes(out var idle, out _, out _)
            ? new MachineSnapshot(timestamp, HostFacts.ActiveProcessors(), idle * TimeSpan.NanosecondsPerTick, 0, 0)
            : null;
    }

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetSystemTimes(out long idle, out long kernel, out long user);
}
