using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>How often the system took a processor from a thread of this process, or was given one back.</summary>
public static partial class ContextSwitchCount
{
    private const int RusageSelf = 0;
    private const int Voluntary = 16, Involuntary = 17;

    /// <summary>Voluntary and involuntary, of all threads, ended ones included; 0 where the system does not tell.</summary>
    public static long Read() => OperatingSystem.IsLinux() && Environment.Is64BitProcess ? ReadLinux() : 0;

    // /proc/self/status has the counts of the main thread alone; getrusage(2) adds up every thread.
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
