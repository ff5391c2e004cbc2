using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

public sealed class HelpTests
{
    private static string Client => Path.Combine(Tool.ClientFolder, "GrpcBench");

    [Fact]
    public async Task Help_is_short_and_in_groups_and_all_of_it_has_every_option()
    {
        var (code, brief, _) = await Tool.RunAsync("--help");
        var (_, all, _) = await Tool.RunAsync("--help", "all");
        Assert.Equal(0, code);
        Assert.All((brief + all).Split('\n').Where(line => !line.Contains(Client, StringComparison.Ordinal)),
            line => Assert.InRange(line.Length, 0, 100));
        foreach (var group in new[] { "What to measure:", "How long:", "Load:", "The server it starts:", "Output:", "Commands:" })
            Assert.Contains($"\n{group}\n", brief, StringComparison.Ordinal);
        Assert.InRange(brief.Split('\n').Length, 20, 80);
        Assert.DoesNotContain("--server-gc", brief, StringComparison.Ordinal);
        foreach (var part in new[] { "--server-gc", "--crank", "\nWords:\n", "unattributed", "--protoset" })
            Assert.Contains(part, all, StringComparison.Ordinal);
        // An option that no group names would stand alone at the end.
        Assert.DoesNotContain("\nMore:\n  -", all, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http", "--path")]
    [InlineData("sweep", "--vary")]
    [InlineData("layers", "--quick")]
    [InlineData("echo", "--sockets")]
    [InlineData("compare", "--fail-on")]
    public async Task Each_command_has_its_own(string command, string option)
    {
        var (code, help, _) = await Tool.RunAsync(command, "--help");
        Assert.Equal(0, code);
        // The width where there is no terminal; the path of the program may be longer, and the help of compare is the library's.
        Assert.All(help.Split('\n').Where(line => command != "compare" && !line.Contains(Client, StringComparison.Ordinal)),
            line => Assert.InRange(line.Length, 0, 100));
        Assert.Contains(option, help, StringComparison.Ordinal);
        Assert.Contains(command, help, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("GrpcBench --help)", "--no-such")]
    [InlineData("GrpcBench sweep --help)", "sweep", "--no-such")]
    [InlineData("GrpcBench sweep --help)", "sweep", "--vary", "nonsense")]
    [InlineData("GrpcBench compare --help)", "compare", "one.json")]
    public async Task What_is_wrong_with_a_command_points_to_its_help(string end, params string[] typed)
    {
        var (code, _, error) = await Tool.RunAsync(typed);
        Assert.Equal(1, code);
        Assert.EndsWith(end, error.TrimEnd(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--arr", "--arrivals")]
    [InlineData("--arrivals p", "poisson")]
    [InlineData("swee", "sweep")]
    [InlineData("http --expect-s", "--expect-status")]
    public async Task Bash_completes_what_was_begun(string typed, string completed)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a script of bash");
        var script = $"""
            eval "$('{Client}' completion bash)"
            COMP_LINE="{Client} {typed}"; COMP_POINT=$((${"{"}#COMP_LINE{"}"}))
            COMP_WORDS=($COMP_LINE); COMP_CWORD=$((${"{"}#COMP_WORDS[@]{"}"} - 1))
            _grpcbench; printf '%s\n' "${"{"}COMPREPLY[@]{"}"}"
            """;
        await using var bash = Tool.StartProgram("bash", Path.GetTempPath(), "-c", script);
        Assert.Equal(0, await bash.ExitCodeAsync());
        Assert.Equal(completed, Assert.Single(bash.Output.TrimEnd().Split('\n')));
    }

    // What the shell would offer: fish says so itself, of zsh's completion system the function's own words are shown.
    [Theory]
    [InlineData("zsh", "compdef() {{ :; }}; compadd() {{ shift; print -l -- $@; }}; eval \"$('{0}' completion zsh)\"; "
        + "words=('{0}' {1}); CURRENT=$#words; _grpcbench")]
    [InlineData("fish", "'{0}' completion fish | source; set -x PATH '{2}' $PATH; "
        + "complete -C 'GrpcBench {1}'")]
    public async Task Other_shells_complete_it_too(string shell, string script)
    {
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        Assert.SkipUnless(folders.Any(folder => File.Exists(Path.Combine(folder, shell))), $"{shell} is not installed here");
        var asked = string.Format(CultureInfo.InvariantCulture, script, Client, "--arrivals p", Tool.ClientFolder);
        await using var tool = Tool.StartProgram(shell, Path.GetTempPath(), "-c", asked);
        Assert.True(await tool.ExitCodeAsync() == 0, tool.Error);
        Assert.Equal("poisson", tool.Output.Trim());
    }

    [Theory]
    [InlineData("zsh")]
    [InlineData("fish")]
    [InlineData("pwsh")]
    public async Task Every_shell_has_a_script(string shell)
    {
        var (code, script, _) = await Tool.RunAsync("completion", shell);
        Assert.Equal(0, code);
        Assert.Contains("[suggest:", script, StringComparison.Ordinal);
        Assert.Equal(1, (await Tool.RunAsync("completion", "tcsh")).Code);
    }
}
