using System.Diagnostics;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>How to start this client once more, as another process.</summary>
internal static class ThisProgram
{
    private const string Name = "GrpcBench";

    /// <exception cref="EnvironmentException">Nothing was found that could run it.</exception>
    public static ProcessStartInfo StartInfo(params IEnumerable<string> arguments) =>
        StartInfo(Environment.ProcessPath, AppContext.BaseDirectory, ServerLocation.Dotnet, arguments);

    /// <summary>
    /// The same for a process that runs from <paramref name="processPath"/> with its assemblies in <paramref name="folder"/>.
    /// </summary>
    internal static ProcessStartInfo StartInfo(string? processPath, string folder, Func<string?> dotnet, IEnumerable<string> arguments)
    {
        var info = new ProcessStartInfo { UseShellExecute = false };
        var beside = Path.Combine(folder, Name + Path.GetExtension(processPath is null || !OperatingSystem.IsWindows() ? "" : processPath));
        if (string.Equals(Path.GetFileNameWithoutExtension(processPath), Name, StringComparison.OrdinalIgnoreCase))
            info.FileName = processPath!;
        else if (File.Exists(beside))
            info.FileName = beside;
        else
        {
            info.FileName = dotnet() ?? throw new EnvironmentException("cannot start this program again: there is no dotnet on the PATH");
            info.ArgumentList.Add("exec");
            info.ArgumentList.Add(Path.Combine(folder, Name + ".dll"));
        }
        foreach (var argument in arguments)
            info.ArgumentList.Add(argument);
        return info;
    }
}
