using System.Diagnostics;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>How to start this client once more, as another process.</summary>
internal static class ThisProgram
{
    private const string Name = "GrpcBench";

    /// <summary>What one types to start this program from here: its name where the PATH leads to it, else its path.</summary>
    public static string Typed { get; } = TypedAs(Environment.ProcessPath, AppContext.BaseDirectory, Environment.CurrentDirectory,
        Environment.GetEnvironmentVariable("PATH") ?? "");

    /// <summary>A path as a shell takes it for one word.</summary>
    public static string Quoted(string path)
    {
        if (path.All(letter => char.IsAsciiLetterOrDigit(letter) || letter == Path.DirectorySeparatorChar || "/:._-+@%,=".Contains(letter)))
            return path;
        return OperatingSystem.IsWindows() ? $"\"{path}\"" : $"'{path.Replace("'", "'\\''", StringComparison.Ordinal)}'";
    }

    /// <summary>The same for a process that runs from there, in that folder, with that PATH.</summary>
    internal static string TypedAs(string? processPath, string folder, string current, string searched)
    {
        // Started as "dotnet GrpcBench.dll", or by a program that hosts it.
        var own = Path.GetFileNameWithoutExtension(processPath);
        if (!string.Equals(own, Name, StringComparison.OrdinalIgnoreCase))
            return $"dotnet {Quoted(Shortest(Path.Combine(folder, Name + ".dll"), current))}";
        var isFound = searched.Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(place => Path.Combine(place, Path.GetFileName(processPath!))).FirstOrDefault(File.Exists) is { } found
            && Path.GetFullPath(found) == Path.GetFullPath(processPath!);
        return isFound ? own! : Quoted(Shortest(processPath!, current));
    }

    // Below the current folder without it, as one would type it; a bare name would be sought on the PATH.
    private static string Shortest(string path, string current)
    {
        var relative = Path.GetRelativePath(current, path);
        if (relative.StartsWith("..", StringComparison.Ordinal) || Path.IsPathRooted(relative))
            return path;
        return relative.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal) ? relative
            : "." + Path.DirectorySeparatorChar + relative;
    }

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
