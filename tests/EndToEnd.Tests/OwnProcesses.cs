using System.Diagnostics;
using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Finds the processes of a test in /proc by the temporary folder that the test gave them.</summary>
internal sealed class OwnProcesses(string folder)
{
    /// <summary>Returns the ids of the processes whose environment or working folder contains the folder.</summary>
    public List<int> Left() => [.. Directory.EnumerateDirectories("/proc").Select(Path.GetFileName)
        .Where(name => int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(name => int.Parse(name!, CultureInfo.InvariantCulture)).Where(IsOurs)];

    /// <summary>Asserts that all processes end within 30 s, because a process that was killed needs a moment for its end.</summary>
    public async Task AssertGoneAsync()
    {
        for (var i = 0; i < 600 && Left().Count > 0; i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.Empty(Left().Select(Name));
    }

    public void Kill()
    {
        foreach (var id in Left())
        {
            try
            {
                using var process = Process.GetProcessById(id);
                process.Kill();
            }
            catch (ArgumentException)
            {
                // The process has ended.
            }
        }
    }

    private bool IsOurs(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{Text(id)}/environ").Contains(folder, StringComparison.Ordinal)
                || new FileInfo($"/proc/{Text(id)}/cwd").LinkTarget?.StartsWith(folder, StringComparison.Ordinal) == true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    public static string Name(int id) =>
        ReadStat(id) is var stat && stat.Length > 0 ? stat[(stat.IndexOf('(') + 1)..stat.LastIndexOf(')')] : "";

    public static int Parent(int id) => ReadStat(id) is var stat && stat.Length > 0
        ? int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1], CultureInfo.InvariantCulture)
        : 0;

    public static int User(int id) =>
        int.Parse(File.ReadLines($"/proc/{Text(id)}/status").Single(
            line => line.StartsWith("Uid:", StringComparison.Ordinal)).Split('\t')[1], CultureInfo.InvariantCulture);

    private static string ReadStat(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{Text(id)}/stat");
        }
        catch (IOException)
        {
            return "";
        }
    }

    private static string Text(int id) => id.ToString(CultureInfo.InvariantCulture);
}
