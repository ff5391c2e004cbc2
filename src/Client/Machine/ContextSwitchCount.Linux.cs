using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Client.Machine;

internal static partial class ContextSwitchCount
{
    private const int RusageSelf = 0;
    private const int Voluntary = 16, Involuntary = 17;

    // /proc/self/status has the counts of the main thread alone; getrusage(2) adds up every thread, ended ones included.
    private static long ReadLinux() => getrusage(RusageSelf, out var usage) == 0 ? usage[Voluntary] + usage[Involuntary] : 0;

    [LibraryImport("libc")]
    private static partial int getrusage(int who, out Usage usage);

    // struct rusage: two timevals and 14 longs, all of 8 bytes on 64-bit Linux; the two counts are the last.
    [InlineArray(18)]
    private struct Usage
    {
        private long _first;
    }
}
