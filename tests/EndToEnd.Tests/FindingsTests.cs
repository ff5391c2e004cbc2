using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.EndToEnd.Tests;

/// <summary>The programs that the pages of docs/findings name.</summary>
public sealed class FindingsTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("findings-").FullName;

    // How much more often the engine waits on a Unix socket depends on what else the machine does: bench/findings measures that.
    [Fact]
    public async Task The_program_of_the_wake_ups_builds_and_counts_waits_on_both_sockets()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the engine of this system has no epoll");
        var program = Path.Combine(Repository.Root, "docs", "findings", "wake-ups.cs");
        Assert.InRange(File.ReadAllLines(program).Length, 1, 59);
        var (code, output) = await RunAsync("dotnet", "build", program, "-o", folder, "-v", "q");
        Assert.True(code == 0, output);
        var built = Directory.GetFiles(folder, "*.runtimeconfig.json").Single().Replace(".runtimeconfig.json", ".dll");
        (code, output) = await RunAsync("dotnet", built);
        Assert.True(code == 0, output);
        Assert.All((string[])["InterNetwork", "Unix"], family => Assert.InRange(Waits(output, family), 0.01, 100));
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static double Waits(string output, string family)
    {
        var found = Regex.Match(output, $@"{family}: the engine waited (\d+\.\d+) times a message");
        Assert.True(found.Success, output);
        return double.Parse(found.Groups[1].Value, CultureInfo.InvariantCulture);
    }

    private async Task<(int Code, string Output)> RunAsync(string program, params string[] arguments)
    {
        await using var tool = Tool.StartProgram(program, folder, arguments);
        return (await tool.ExitCodeAsync(), tool.Output + tool.Error);
    }
}
