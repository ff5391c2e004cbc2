namespace IpcBench.Client.Machine;

/// <summary>Sleeps shorter than the millisecond of the framework's.</summary>
internal static partial class FineSleep
{
    /// <summary>Makes the sleeps of the calling thread as exact as the system can.</summary>
    public static void Sharpen()
    {
        if (OperatingSystem.IsLinux())
            SharpenLinux();
    }

    /// <summary>Sleeps about that long; where the system cannot, gives only the rest of the time slice away.</summary>
    /// <param name="ns">More than 0.</param>
    public static void For(long ns)
    {
        if (OperatingSystem.IsLinux())
            SleepLinux(ns);
        else
            Thread.Yield();
    }
}
