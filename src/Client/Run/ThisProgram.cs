using System.Diagnostics;
using IpcBench.Analysis.Wording;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Says how this client is started: by a user in a shell, and by this client as another process.</summary>
internal static class ThisProgram
{
    private const string Name = "GrpcBench";

    /// <summary>The words by which a user starts this program: its name if the PATH has it, else its path.</summary>
    public static string Typed { get; } = TypedAs(Environment.ProcessPath, AppContext.BaseDirectory, CurrentFolder(),
        Environment.GetEnvironmentVariable("PATH") ?? "");

    /// <summary>Quotes a path so that a shell takes the path as one word.</summary>
    public static string Quoted(string path) => ShellWord.Quoted(path, OperatingSystem.IsWindows());

    // Returns null when the current folder was deleted, which can happen in a shell.
    private static string? CurrentFolder()
    {
        try
        {
            return Environment.CurrentDirectory;
        }
        catch (IOException)
        {
            return null;
        }
    }

    /// <summary>
    /// Returns <see cref="Typed"/> for a process at this path, with this current folder and this PATH. The current
    /// folder is null when it was deleted.
    /// </summary>
    internal static string TypedAs(string? processPath, string folder, string? current, string searched)
    {
        // A process with another name was started as "dotnet GrpcBench.dll", or it hosts this program.
        var own = Path.GetFileNameWithoutExtension(processPath);
        if (!string.Equals(own, Name, StringComparison.OrdinalIgnoreCase))
            return $"dotnet {Quoted(Shortest(Path.Combine(folder, Name + ".dll"), current))}";
        var isFound = searched.Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(place => Path.Combine(place, Path.GetFileName(processPath!))).FirstOrDefault(File.Exists) is { } found
            && Path.GetFullPath(found) == Path.GetFullPath(processPath!);
        return isFound ? own! : Quoted(Shortest(processPath!, current));
    }

    // A path inside the current folder is made relative. A bare name gets "./", since a shell would otherwise search the
    // name on the PATH.
    private static string Shortest(string path, string? current)
    {
        if (current is null)
            return path;
        var relative = Path.GetRelativePath(current, path);
        if (relative.StartsWith("..", StringComparison.Ordinal) || Path.IsPathRooted(relative))
            return path;
        return relative.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal) ? relative
            : "." + Path.DirectorySeparatorChar + relative;
    }

    /// <exception cref="EnvironmentException">No program was found that can run this client.</exception>
    public static ProcessStartInfo StartInfo(params IEnumerable<string> arguments) =>
        StartInfo(Environment.ProcessPath, AppContext.BaseDirectory, ServerLocation.Dotnet, arguments);

    /// <summary>Returns how to start a client at <paramref name="processPath"/> with assemblies in <paramref name="folder"/>.</summary>
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
