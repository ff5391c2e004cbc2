using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks that no file and no option can send control characters to the terminal.</summary>
public sealed class TerminalTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData("csv")]
    [InlineData("wide-csv")]
    [InlineData("runs-csv")]
    [InlineData("text")]
    [InlineData("json")]
    public async Task Control_characters_from_a_results_file_do_not_reach_the_terminal(string format)
    {
        var file = Path.Combine(folder, "run.json");
        var run = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "results", "loop", "echo-64.json"), TestContext.Current.CancellationToken);
        run = run.Replace("\"variant\": \"\"", "\"variant\": \"x\\u001b[2J\\u009b2J\\u202ey\"", StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, run, TestContext.Current.CancellationToken);
        AssertShows("report", file, "--format", format);
    }

    [Fact]
    public void A_long_key_is_shortened_and_its_control_characters_are_removed()
    {
        var said = AssertShows("--call", "a.B/C", "-U", "http://127.0.0.1:1", "--proto", Proto(), "--data",
            $"{{\"\\u001b[2J{new string('k', 10_000)}\":1}}");
        Assert.Contains("has no field \"[2Jkkk", Regex.Replace(said, "\\s+", " "), StringComparison.Ordinal);
        Assert.InRange(said.Length, 1, 1000);
    }

    private string Proto()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/protoc"), "there is no protoc");
        var file = Path.Combine(folder, "a.proto");
        File.WriteAllText(file, "syntax = \"proto3\"; package a; message M { int32 x = 1; } service B { rpc C (M) returns (M); }");
        return file;
    }

    /// <summary>Runs the tool on a terminal of script(1), and returns its output without colours. Fails on control characters.</summary>
    private string AssertShows(params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/script"), "there is no script(1)");
        var log = Path.Combine(folder, "typescript");
        var line = string.Join(' ', arguments.Prepend(Tool.Client).Select(word => $"'{word}'"));
        var start = new ProcessStartInfo("script", ["-q", "-e", "-c", line, log])
        {
            RedirectStandardOutput = true,
            RedirectStandardInput = true,
            Environment = { ["TERM"] = "xterm-256color", ["TMPDIR"] = folder },
        };
        using var script = Process.Start(start)!;
        script.StandardInput.Close();
        script.StandardOutput.ReadToEnd();
        Assert.True(script.WaitForExit(TimeSpan.FromSeconds(120)));
        // .NET itself asks a terminal for keypad mode and the place of the cursor.
        var shown = Regex.Replace(File.ReadAllText(log), "^Script (started|done).*$", "", RegexOptions.Multiline);
        var rest = Regex.Replace(shown, "\u001b\\[[0-9;]*m|\u001b\\[\\?1[hl]\u001b[=>]|\u001b\\[6n", "");
        Assert.DoesNotContain(rest, letter => letter is not ('\r' or '\n' or '\t')
            && (char.IsControl(letter) || char.GetUnicodeCategory(letter) == UnicodeCategory.Format));
        return rest;
    }
}
