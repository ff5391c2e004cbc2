using System.ComponentModel;
using System.Diagnostics;

namespace IpcBench.Schema.Types;

/// <summary>Has <c>protoc</c> compile a .proto. On Windows and Linux alike it is the first of its name on the PATH.</summary>
public static class Protoc
{
    /// <param name="file">The .proto.</param>
    /// <param name="folders">Where imports are looked for (<c>-I</c>); the file's own folder too when the file is in none of them.</param>
    /// <param name="program">The compiler's name on the PATH, or its path.</param>
    /// <param name="cancel">Ends the compiler.</param>
    /// <exception cref="InputException">There is no protoc, or it refuses the file: its own first lines are in the message.</exception>
    public static async Task<MethodTypes> CompileAsync(
        string file, IReadOnlyList<string> folders, string program = "protoc", CancellationToken cancel = default)
    {
        if (!File.Exists(file))
            throw new InputException(Directory.Exists(file) ? $"{file} is a folder, not a file" : $"there is no file {file}");
        if (folders.FirstOrDefault(folder => !Directory.Exists(folder)) is { } missing)
            throw new InputException($"-I {missing}: there is no such folder");
        var output = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.pb");
        try
        {
            // It compares paths letter by letter: each in full, or a file below the current folder is in none of them.
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
            throw new InputException($"--proto needs {program} and it cannot be started: put it on the PATH, or give --protoset", e);
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
                // In a terminal Ctrl-C ends the compiler too.
                cancel.ThrowIfCancellationRequested();
                if (process.ExitCode != 0)
                    throw new InputException($"{program} refuses {file}: {FirstLines(await said, process.ExitCode)}");
            }
            catch (OperationCanceledException)
            {
                process.Kill(); // which does nothing to one that has ended
                throw;
            }
        }
    }

    private static string FirstLines(string said, int code)
    {
        var lines = said.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        // Warnings come first, and what they warn of is not what was refused.
        if (Array.FindAll(lines, line => !IsWarning(line)) is { Length: > 0 } errors)
            lines = errors;
        if (lines.Length == 0)
            return $"it ended with exit code {code}";
        return string.Join("; ", lines.Take(5)) + (lines.Length > 5 ? $"; and {lines.Length - 5} lines more" : "");
    }

    private static bool IsWarning(string line) =>
        line.StartsWith("[libprotobuf WARNING", StringComparison.Ordinal) || line.Contains(": warning: ", StringComparison.Ordinal);
}
