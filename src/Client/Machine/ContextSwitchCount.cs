namespace IpcBench.Client.Machine;

/// <summary>Context switches of all threads of this process, voluntary and involuntary; 0 where the system does not tell.</summary>
internal static partial class ContextSwitchCount
{
    public static long Read() => OperatingSystem.IsLinux() ? ReadLinux() : 0;
}
