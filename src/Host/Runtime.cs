using System.Collections;
using System.Globalization;
using System.Runtime;

namespace IpcBench.Host;

/// <summary>How this process's .NET runtime is configured.</summary>
public static class RuntimeFacts
{
    /// <summary>
    /// Says the kind of garbage collector: <c>workstation</c> or <c>server</c>, with <c>, concurrent</c> if it is concurrent.
    /// </summary>
    public static string GcMode() =>
        (GCSettings.IsServerGC ? "server" : "workstation") + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "" : ", concurrent");

    /// <summary>Whether this program was compiled ahead (NativeAOT), so that it has no JIT compiler.</summary>
    public static bool IsCompiledAhead { get; } = JitInfo.GetCompiledMethodCount() == 0;

    /// <summary>
    /// Says which of tiered compilation, quick JIT, PGO and ReadyToRun are on. An environment variable decides, then the
    /// runtimeconfig, then the runtime's default. For a program that was compiled ahead, says only that.
    /// </summary>
    public static string Tiering() => IsCompiledAhead ? "compiled ahead" : string.Join(", ",
        Knob("tiered compilation", "TieredCompilation", "System.Runtime.TieredCompilation"),
        Knob("quick jit", "TC_QuickJit", "System.Runtime.TieredCompilation.QuickJit"),
        Knob("pgo", "TieredPGO", "System.Runtime.TieredPGO"),
        Knob("ready to run", "ReadyToRun", ""));

    /// <summary>Lists the <see cref="RuntimeVariables"/> that are set, in ordinal order.</summary>
    public static IReadOnlyDictionary<string, string> Variables(IDictionary environment)
    {
        var found = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (DictionaryEntry entry in environment)
        {
            if (entry is { Key: string name, Value: string value } && RuntimeVariables.IsKnown(name))
                found[name] = value;
        }
        return found;
    }

    // All four settings are on by default since .NET 8 (docs: runtime configuration options for compilation).
    private static string Knob(string label, string variable, string setting)
    {
        var text = Environment.GetEnvironmentVariable("DOTNET_" + variable) ?? Environment.GetEnvironmentVariable("COMPlus_" + variable);
        var on = text is not null ? text.Trim() != "0" : setting.Length == 0 || !AppContext.TryGetSwitch(setting, out var set) || set;
        return label + (on ? " on" : " off");
    }
}

/// <summary>
/// The environment variables of .NET's runtime that change results and hold only a number or a switch. Other variables
/// with the same prefix may hold anything, such as paths or keys. So servers report and files keep only the variables
/// listed here.
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

    /// <summary>Whether a variable of this name may be reported and kept.</summary>
    public static bool IsKnown(string name) => Array.Exists(
        Prefixes, prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase) && Names.Contains(name[prefix.Length..]));

    /// <summary>
    /// Whether a results file may keep a setting that a server reports. It may keep known variables, and names in the
    /// form of this tool's own settings (<c>max-streams</c>). Other names could be any variable or text of the server.
    /// </summary>
    /// <param name="name">A key of <c>DescribeReply.settings</c>.</param>
    public static bool MayKeep(string name) => name.StartsWith(SettingPrefix, StringComparison.OrdinalIgnoreCase)
        ? IsKnown(name[SettingPrefix.Length..])
        : name.Length is > 0 and <= LongestKnob && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-');
}

/// <summary>
/// Limits the threads on which operations of .NET's own sockets and pipes complete. These sockets and pipes carry all
/// connections that this tool's event loop does not carry.
/// </summary>
public static class CompletionThreads
{
    // System.Net.Sockets reads the variables when the first socket is created (SocketAsyncEngine.Unix.cs).
    private const string InlineVariable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";
    private const string CountVariable = "DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT";

    /// <summary>
    /// Lets a socket operation complete on the thread that found the socket ready, without the thread pool. Call this
    /// before the first socket exists. Windows has no such setting.
    /// </summary>
    public static void Inline() => Environment.SetEnvironmentVariable(InlineVariable, "1");

    /// <summary>
    /// Limits the completion threads to this number. Call this before the first socket exists. Returns the values that
    /// the changed environment variables had before, for the environment of child processes. Empty on Windows.
    /// </summary>
    public static IReadOnlyDictionary<string, string?> Limit(int threads)
    {
        if (OperatingSystem.IsWindows())
        {
            // On Windows, completions run on pool threads. SetMaxThreads refuses a maximum below the minimum or below the number of CPUs.
            ThreadPool.SetMinThreads(Math.Min(threads, Environment.ProcessorCount), Math.Min(threads, Environment.ProcessorCount));
            ThreadPool.SetMaxThreads(Math.Max(threads, Environment.ProcessorCount), Math.Max(threads, Environment.ProcessorCount));
            return new Dictionary<string, string?>();
        }
        var values = new Dictionary<string, string>
        {
            [InlineVariable] = "1",
            [CountVariable] = threads.ToString(CultureInfo.InvariantCulture),
        };
        var originals = values.Keys.ToDictionary(name => name, Environment.GetEnvironmentVariable);
        foreach (var (name, value) in values)
        {
            if (originals[name] is null)
                Environment.SetEnvironmentVariable(name, value);
        }
        return originals;
    }
}
