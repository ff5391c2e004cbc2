namespace IpcBench.Client.Doctor;

/// <summary>How this client was built and how its runtime is set up.</summary>
internal static class RuntimeChecks
{
    // Where the runtime is and what the SDK prints change no result.
    private static readonly string[] Harmless =
    [
        "DOTNET_ROOT", "DOTNET_CLI", "DOTNET_HOST", "DOTNET_NOLOGO", "DOTNET_MULTILEVEL", "DOTNET_SKIP", "DOTNET_GENERATE", "DOTNET_ADD",
        "DOTNET_ROLL", "DOTNET_RUNNING", "DOTNET_USE", "DOTNET_VERSION", "DOTNET_LAUNCH_PROFILE", "DOTNET_EnableDiagnostics",
        "DOTNET_NUGET", "DOTNET_WATCH",
        "DOTNET_SYSTEM_GLOBALIZATION", "DOTNET_SYSTEM_CONSOLE",
    ];

    public static Finding Build(DoctorFacts facts) => facts.DebugBuild
        ? new("build", Level.Warn, "this client was built without optimization: it is slower than what will be measured",
            "build and run it with -c Release")
        : new("build", Level.Ok, "an optimized build");

    /// <summary>
    /// The client keeps few objects: Server GC would only take memory and threads. A server that runs for others usually has it.
    /// </summary>
    public static Finding Gc(DoctorFacts facts) => facts.Host.GcMode.StartsWith("server", StringComparison.Ordinal)
        ? new("gc", Level.Warn, "the client runs with Server GC, which takes a heap and a thread of each CPU",
            "unset DOTNET_gcServer for the client; --server-gc is for the server")
        : new("gc", Level.Ok, $"the client's GC is {facts.Host.GcMode}; each server tells its own in the report");

    public static Finding Variables(DoctorFacts facts)
    {
        var moving = facts.Host.RuntimeVariables.Keys
            .Where(name => !Harmless.Any(prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
            .ToList();
        return moving.Count == 0
            ? new("runtime-variables", Level.Ok, "no variable changes how the runtime works")
            : new("runtime-variables", Level.Warn, $"set for the runtime: {string.Join(", ", moving)}",
                "unset them, unless they are what you want to measure");
    }
}
