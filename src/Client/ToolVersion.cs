using System.Reflection;

namespace IpcBench.Client;

/// <summary>Version and commit, stamped by the build.</summary>
internal static class ToolVersion
{
    /// <summary><c>1.2.3+commit</c>.</summary>
    public static string Text { get; } =
        typeof(ToolVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "unknown";
}
