namespace IpcBench.Host;

/// <summary>
/// The environment variables of .NET's runtime that change results and hold only a number or a switch. Other variables
/// with the same prefix may hold anything, such as paths or keys. So only the variables listed here are reported by
/// servers and kept in results files.
/// </summary>
public static class RuntimeVariables
{
    /// <summary>The prefix of a variable's name in <c>DescribeReply.settings</c>.</summary>
    public const string SettingPrefix = "env:";

    private const int LongestKnob = 40;

    private static readonly string[] Prefixes = ["DOTNET_", "COMPlus_"];

    // The names are from the runtime configuration options (learn.microsoft.com/dotnet/core/runtime-config), from
    // clrconfignames.h, and from the libraries that benchmarks use.
    private static readonly HashSet<string> Names = new(StringComparer.OrdinalIgnoreCase)
    {
        "gcServer", "gcConcurrent", "GCHeapCount", "GCHeapAffinitizeMask", "GCHeapAffinitizeRanges", "GCNoAffinitize", "GCCpuGroup",
        "GCHeapHardLimit", "GCHeapHardLimitPercent", "GCHighMemPercent", "GCConserveMemory", "GCgen0size", "GCgen0MaxBudget", "GCgen1size",
        "GCRetainVM", "GCLargePages", "GCLOHThreshold", "GCDynamicAdaptationMode", "GCHeapCountMin", "GCTotalPhysicalMemory",
        "TieredCompilation", "TC_QuickJit", "TC_QuickJitForLoops", "TC_CallCountThreshold", "TC_CallCountingDelayMs",
        "TC_BackgroundWorkerTimeoutMs", "TC_OnStackReplacement", "OSR_HitLimit", "TieredPGO", "TieredPGO_InstrumentOnlyHotCode",
        "ReadyToRun", "JitMinOpts", "EnableHWIntrinsic", "EnableSSE42", "EnableAVX", "EnableAVX2", "EnableAVX512", "EnableAVX512F",
        "PreferredVectorBitWidth", "EnableWriteXorExecute", "PROCESSOR_COUNT", "Thread_UseAllCpuGroups", "Thread_DefaultStackSize",
        "DefaultStackSize", "ThreadPool_ForceMinWorkerThreads", "ThreadPool_ForceMaxWorkerThreads", "ThreadPool_UnfairSemaphoreSpinLimit",
        "ThreadPool_UseWindowsThreadPool", "SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "SYSTEM_NET_SOCKETS_THREAD_COUNT",
        "SYSTEM_NET_DISABLEIPV6", "SYSTEM_NET_HTTP_SOCKETSHTTPHANDLER_HTTP2SUPPORT",
        "SYSTEM_NET_HTTP_SOCKETSHTTPHANDLER_HTTP2FLOWCONTROL_DISABLEDYNAMICWINDOWSIZING",
        "SYSTEM_NET_HTTP_SOCKETSHTTPHANDLER_FLOWCONTROL_MAXSTREAMWINDOWSIZE",
    };

    /// <summary>Whether a server may report a variable of this name, and a results file may keep it.</summary>
    public static bool IsKnown(string name) => Array.Exists(
        Prefixes, prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase) && Names.Contains(name[prefix.Length..]));

    /// <summary>
    /// Whether a results file may keep a setting that a server reports. The file may keep known variables, and settings
    /// whose names have the form of this tool's own settings (<c>max-streams</c>). Other names could be any variable or
    /// text of the server.
    /// </summary>
    /// <param name="name">A key of <c>DescribeReply.settings</c>.</param>
    public static bool MayKeep(string name) => name.StartsWith(SettingPrefix, StringComparison.OrdinalIgnoreCase)
        ? IsKnown(name[SettingPrefix.Length..])
        : name.Length is > 0 and <= LongestKnob && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-');
}
