namespace IpcBench.Host;

/// <summary>
/// The environment variables of .NET's runtime that move results and hold nothing but a number or a switch. Others that begin alike may
/// hold anything (paths, keys of a host's own configuration), so a server tells these alone, and these alone are kept in files.
/// </summary>
public static class RuntimeVariables
{
    /// <summary>What the name of a variable has before it in <c>DescribeReply.settings</c>.</summary>
    public const string SettingPrefix = "env:";

    private static readonly string[] Prefixes = ["DOTNET_", "COMPlus_"];

    // Runtime configuration options (learn.microsoft.com/dotnet/core/runtime-config) and, from clrconfignames.h and the libraries, those
    // that are met in benchmarks.
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

    /// <summary>Whether a variable of this name may be told and kept.</summary>
    public static bool IsKnown(string name) => Array.Exists(
        Prefixes, prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase) && Names.Contains(name[prefix.Length..]));

    /// <summary>Whether a setting that a server tells may be kept: a knob of its own, or a known variable.</summary>
    /// <param name="name">A key of <c>DescribeReply.settings</c>.</param>
    public static bool MayKeep(string name) =>
        !name.StartsWith(SettingPrefix, StringComparison.OrdinalIgnoreCase) || IsKnown(name[SettingPrefix.Length..]);
}
