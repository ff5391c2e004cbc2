using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.EndToEnd.Tests;

/// <summary>What the pages of docs/findings say, shown again by their programs.</summary>
public sealed class FindingsTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("findings-").FullName;

    // A test that fails for good tells that .NET or the kernel has changed: then the page is no longer true.
    [Fact]
    public async Task The_socket_engine_waits_more_often_a_message_on_a_unix_socket_than_on_tcp()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the engine of this system has no epoll");
        var program = Path.Combine(Repository.Root, "docs", "findings", "wake-ups.cs");
        Assert.InRange(File.ReadAllLines(program).Length, 1, 59);
        var (code, output) = await RunAsync("dotnet", "build", program, "-o", folder, "-v", "q");
        Assert.True(code == 0, output);
        var built = Directory.GetFiles(folder, "*.runtimeconfig.json").Single().Replace(".runtimeconfig.json", ".dll");
        var seen = "";
        // On a busy machine the engine gets no CPU between two events and finds both at once.
        for (var run = 0; run < 10; run++)
        {
            (code, output) = await RunAsync("dotnet", built);
            Assert.True(code == 0, output);
            seen += output;
            if (Waits(output, "Unix") > 1.3 * Waits(output, "InterNetwork"))
                return;
        }
        Assert.Fail("no run of ten had them:\n" + seen);
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
