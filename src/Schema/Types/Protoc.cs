using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Schema.Types;

/// <summary>
/// Compiles a .proto with the <c>protoc</c> on the PATH. If there is none, uses the protoc of Grpc.Tools in NuGet's
/// folder, where every build of a gRPC project leaves it. The folder is the same on Windows and Linux.
/// </summary>
public static class Protoc
{
    private const string Usual = "protoc";

    /// <param name="folders">
    /// Folders of imports (<c>-I</c>). The file's own folder is added if the file is in none of these folders.
    /// </param>
    /// <param name="program">The compiler's name on the PATH, or its path.</param>
    /// <exception cref="InputException">
    /// There is no protoc, or protoc rejects the file. The message has the first lines of protoc's errors.
    /// </exception>
    public static async Task<MethodTypes> CompileAsync(
        string file, IReadOnlyList<string> folders, string program = Usual, CancellationToken cancel = default)
    {
        if (!File.Exists(file))
            throw new InputException(Directory.Exists(file) ? $"{file} is a folder, not a file" : $"there is no file {file}");
        if (folders.FirstOrDefault(folder => !Directory.Exists(folder)) is { } missing)
            throw new InputException($"-I {missing}: this folder does not exist");
        var output = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.pb");
        try
        {
            // protoc compares paths as text, so a relative path would be in none of the folders. So all paths are made absolute.
            var (full, all) = (Path.GetFullPath(file), folders.Select(folder => Path.GetFullPath(folder)).ToList());
            string[] arguments = [.. Including(full, all), "--include_imports", $"--descriptor_set_out={output}", full];
            await RunAsync(program, arguments, file, cancel);
            return Protoset.Parse(await File.ReadAllBytesAsync(output, cancel), file);
        }
        finally
        {
            File.Delete(output);
        }
    }

    private static IEnumerable<string> Including(string file, IReadOnlyList<string> folders)
    {
        var own = Path.GetDirectoryName(file)!;
        var inOne = folders.Select(folder => Path.GetRelativePath(folder, own))
            .Any(path => !path.StartsWith("..", StringComparison.Ordinal) && !Path.IsPathRooted(path));
        return folders.Concat(inOne ? [] : [own]).Select(folder => $"-I{folder}");
    }

    private static async Task RunAsync(string program, IEnumerable<string> arguments, string file, CancellationToken cancel)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardError = true,
            RedirectStandardOutput = true,
            RedirectStandardInput = true,
        };
        Process? process;
        try
        {
            process = Process.Start(start);
        }
        catch (Win32Exception e)
        {
            if (program == Usual && OfGrpcTools() is { } found)
            {
                // protoc looks for Google's own files beside itself, but in this package they are in another folder.
                var google = Path.GetFullPath(Path.Combine(Path.GetDirectoryName(found)!, "..", "..", "build", "native", "include"));
                await RunAsync(found, Directory.Exists(google) ? arguments.Append($"-I{google}") : arguments, file, cancel);
                return;
            }
            throw new InputException(
                $"--proto needs {program}, which cannot be started: put {program} on the PATH, or use --protoset", e);
        }
        using (process)
        {
            process!.StandardInput.Close();
            var said = process.StandardError.ReadToEndAsync(cancel);
            var printed = process.StandardOutput.ReadToEndAsync(cancel);
            try
            {
                await process.WaitForExitAsync(cancel);
                await printed;
                // Ctrl-C in a terminal ends the compiler too. This is a cancellation, and no error of the file.
                cancel.ThrowIfCancellationRequested();
                if (process.ExitCode != 0)
                    throw new InputException($"{program} rejects {file}: {FirstLines(await said, process.ExitCode)}");
            }
            catch (OperationCanceledException)
            {
                process.Kill(); // does nothing to a process that has ended
                throw;
            }
        }
    }

    /// <summary>
    /// Finds the newest protoc of Grpc.Tools in NuGet's folder, which is NUGET_PACKAGES or else ~/.nuget/packages
    /// (learn.microsoft.com, Managing the global packages folder). Null when there is no such protoc.
    /// </summary>
    /// <param name="packages">Another folder of packages. Null for NuGet's folder.</param>
    internal static string? OfGrpcTools(string? packages = null)
    {
        packages ??= Environment.GetEnvironmentVariable("NUGET_PACKAGES") is { Length: > 0 } named ? named
            : Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        var (system, ending) = OperatingSystem.IsWindows() ? ("windows", ".exe")
            : OperatingSystem.IsMacOS() ? ("macosx", "") : ("linux", "");
        var processor = RuntimeInformation.OSArchitecture switch { Architecture.Arm64 => "arm64", Architecture.X86 => "x86", _ => "x64" };
        var folder = Path.Combine(packages, "grpc.tools");
        return !Directory.Exists(folder) ? null : Directory.GetDirectories(folder)
            .OrderByDescending(version => Version.TryParse(Path.GetFileName(version), out var number) ? number : new Version())
            .Select(version => Path.Combine(version, "tools", $"{system}_{processor}", Usual + ending)).FirstOrDefault(File.Exists);
    }

    private static string FirstLines(string said, int code)
    {
        var lines = said.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        // Warnings come before the errors, but are not why protoc rejected the file. So they are left out.
        if (Array.FindAll(lines, line => !IsWarning(line)) is { Length: > 0 } errors)
            lines = errors;
        if (lines.Length == 0)
            return $"exit code {code}";
        return string.Join("; ", lines.Take(5)) + (lines.Length > 5 ? $"; and {lines.Length - 5} more lines" : "");
    }

    private static bool IsWarning(string line) =>
        line.StartsWith("[libprotobuf WARNING", StringComparison.Ordinal) || line.Contains(": warning: ", StringComparison.Ordinal);
}
