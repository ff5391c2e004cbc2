using System.Collections;
using System.Runtime;

namespace IpcBench.Host;

/// <summary>How this process's .NET runtime is configured.</summary>
public static class RuntimeFacts
{
    /// <summary>
    /// Names the kind of garbage collector: <c>workstation</c> or <c>server</c>, with <c>, concurrent</c> if it is concurrent.
    /// </summary>
    public static string GcMode() =>
        (GCSettings.IsServerGC ? "server" : "workstation") + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "" : ", concurrent");

    /// <summary>Whether this program was compiled ahead (NativeAOT), so that it has no JIT compiler.</summary>
    public static bool IsCompiledAhead { get; } = JitInfo.GetCompiledMethodCount() == 0;

    /// <summary>
    /// Describes whether tiered compilation, quick JIT, PGO and ReadyToRun are on. An environment variable decides, or
    /// else the runtimeconfig, or else the default. For a program that was compiled ahead, the text is only
    /// <c>compiled ahead</c>.
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
