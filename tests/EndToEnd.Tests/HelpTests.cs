using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

public sealed class HelpTests
{
    [Fact]
    public async Task The_option_help_prints_groups_of_common_options_and_help_all_prints_every_option()
    {
        var (code, brief, _) = await Tool.RunAsync("--help");
        var (_, all, _) = await Tool.RunAsync("--help", "all");
        Assert.Equal(0, code);
        Assert.All((brief + all).Split('\n').Where(line => !line.Contains(Tool.Client, StringComparison.Ordinal)),
            line => Assert.InRange(line.Length, 0, 100));
        foreach (var group in new[] { "What to measure:", "How long:", "Load:", "The server that this tool "
            + "starts:", "Output:", "Commands:" })
            Assert.Contains($"\n{group}\n", brief, StringComparison.Ordinal);
        Assert.InRange(brief.Split('\n').Length, 20, 80);
        Assert.DoesNotContain("--server-gc", brief, StringComparison.Ordinal);
        foreach (var part in new[] { "--server-gc", "--crank", "\nWords:\n", "unattributed", "--protoset" })
            Assert.Contains(part, all, StringComparison.Ordinal);
        Assert.Contains("--shape", brief, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http", "--path", "\nExamples:\n")]
    [InlineData("sweep", "--vary", "\nExamples:\n")]
    [InlineData("article", "\nExamples:\n")]
    [InlineData("layers", "--quick")]
    [InlineData("echo", "--sockets")]
    [InlineData("compare", "--fail-on", " FILES… [options]", "\nOptions:\n")]
    [InlineData("report", "--plot", " [FILES…] [options]", "\nOptions:\n")]
    [InlineData("doctor", "-c, --connections N", "\nOptions:\n")]
    [InlineData("completion", " SHELL [options]")]
    public async Task Each_command_has_its_own_help(string command, params string[] parts)
    {
        var (code, help, _) = await Tool.RunAsync(command, "--help");
        Assert.Equal(0, code);
        // The width without a terminal is 100. The path of the program may be longer.
        Assert.All(help.Split('\n').Where(line => !line.Contains(Tool.Client, StringComparison.Ordinal)),
            line => Assert.InRange(line.Length, 0, 100));
        Assert.Contains($"\nUsage: {Tool.Client} {command}", help, StringComparison.Ordinal);
        Assert.All(parts, part => Assert.Contains(part, help, StringComparison.Ordinal));
        Assert.Contains(command, help, StringComparison.Ordinal);
        Assert.DoesNotContain("--shape", help, StringComparison.Ordinal); // an option of the main command only
    }

    [Theory]
    [InlineData("there is no option --no-such ({0} --help)", "--no-such")]
    [InlineData("there is no option --transport: did you mean --transports? ({0} --help)", "--transport", "unix")]
    [InlineData("there is no command sweeep: did you mean sweep? ({0} --help)", "sweeep")]
    [InlineData("echo has no option --quik: did you mean --quick? ({0} echo --help)", "echo", "--quik")]
    [InlineData("sweep has no option --no-such ({0} sweep --help)", "sweep", "--no-such")]
    [InlineData("--stack is not offered by echo ({0} echo --help)", "echo", "--stack", "x")]
    [InlineData("--find is not offered by ab ({0} ab --help)", "ab", "--base", "x", "--head", "x", "--find", "p99<1ms")]
    [InlineData("-H is not offered by echo ({0} echo --help)", "echo", "-Hcookie: s3cret=s3cret")]
    [InlineData("--vary 'nonsense' needs a knob and its values, as in socket-buffer=64k,256k,1M ({0} sweep --help)",
        "sweep", "--vary", "nonsense")]
    [InlineData("compare needs a base and at least one more file: one.json is the only file ({0} compare --help)", "compare", "one.json")]
    [InlineData("-s 'huge' is not a whole number such as 10, 1k, 64KiB or 1M ({0} --help)", "-s", "huge")]
    [InlineData("-t 3 needs at least 3 connections, because each connection belongs to one thread, but -c has 2 ({0} --help)",
        "-c", "2", "-t", "3")]
    [InlineData("-U: 'gopher://x' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or "
        + "pipe:/name "
        + "({0} --help)", "-U", "gopher://x")]
    [InlineData("--format 'papyrus' is unknown: write one of text, markdown, csv, wide-csv, runs-csv, json, html, svg, hgrm, wrk, "
        + "published, aa, junit, "
        + "bencher, github-action-benchmark, prometheus, speedscope ({0} report --help)", "report", "--format", "papyrus", "x.json")]
    public async Task The_error_of_a_command_is_one_sentence_that_points_to_its_help(string sentence, params string[] typed) =>
        Assert.Equal((1, "", string.Format(CultureInfo.InvariantCulture, sentence, Tool.Client) + "\n"), await Tool.RunAsync(typed));

    [Fact]
    public async Task The_completion_script_of_bash_completes_the_beginning_of_a_word()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a script of bash");
        (string Typed, string Completed)[] words =
        [
            ("--arr", "--arrivals"), ("--arrivals p", "poisson"), ("compare --format=j", "--format=json"), ("--mode pi", "ping-pong"),
            ("--stack=g", "--stack=grpc-dotnet"), ("swee", "sweep"), ("http --expect-s", "--expect-status"),
        ];
        var script = $$"""
            eval "$('{{Tool.Client}}' completion bash)"
            for typed in {{string.Join(' ', words.Select(one => $"'{one.Typed}'"))}}; do
              COMP_LINE="{{Tool.Client}} $typed"; COMP_POINT=${#COMP_LINE}
              COMP_WORDS=($COMP_LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
              _grpcbench; printf '%s\n' "${COMPREPLY[@]}"
            done
            """;
        await using var bash = Tool.StartProgram("bash", Path.GetTempPath(), "-c", script);
        Assert.Equal(0, await bash.ExitCodeAsync());
        Assert.Equal(words.Select(one => one.Completed), bash.Output.TrimEnd().Split('\n'));
    }

    // Each script prints what the shell would offer: fish by itself, zsh by a stand-in for compadd.
    [Theory]
    [InlineData("zsh", "compdef() {{ :; }}; compadd() {{ shift; print -l -- $@; }}; eval \"$('{0}' completion zsh)\"; "
        + "words=('{0}' {1}); CURRENT=$#words; _grpcbench")]
    [InlineData("fish", "'{0}' completion fish | source; set -x PATH '{2}' $PATH; "
        + "complete -C 'GrpcBench {1}'")]
    public async Task The_completion_scripts_of_zsh_and_fish_complete_the_beginning_of_a_word(string shell, string script)
    {
        var folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
        Assert.SkipUnless(folders.Any(folder => File.Exists(Path.Combine(folder, shell))), $"{shell} is not installed here");
        foreach (var (typed, offered) in new[] { ("--arrivals p", "poisson"), ("compare --format=j", "--format=json") })
        {
            var asked = string.Format(CultureInfo.InvariantCulture, script, Tool.Client, typed, Tool.ClientFolder);
            await using var tool = Tool.StartProgram(shell, Path.GetTempPath(), "-c", asked);
            Assert.True(await tool.ExitCodeAsync() == 0, tool.Error);
            Assert.Equal(offered, tool.Output.Trim());
        }
    }

    [Fact]
    public async Task Every_supported_shell_has_a_completion_script()
    {
        foreach (var shell in new[] { "zsh", "fish", "pwsh" })
        {
            var (code, script, _) = await Tool.RunAsync("completion", shell);
            Assert.Equal(0, code);
            Assert.Contains("[suggest:", script, StringComparison.Ordinal);
        }
        Assert.Equal(1, (await Tool.RunAsync("completion", "tcsh")).Code);
    }
}
