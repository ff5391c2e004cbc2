using System.CommandLine;
using IpcBench.Client.Experiments.Ab;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Cli;

[Collection("marked servers")]
public class AbCommandTests
{
    private static readonly Dictionary<string, string?> NoVariables = [];

    [Theory]
    [InlineData("server --port {port}", "server|--port|{port}")]
    [InlineData("  a \t b\n", "a|b")]
    [InlineData("'/my server/run' \"a 'b' c\" d\"e\"'f'", "/my server/run|a 'b' c|def")]
    [InlineData("a\\ b \"c\\\"d\\e\" 'f\\g' ''", "a b|c\"d\\e|f\\g|")]
    [InlineData("$HOME * ; | &", "$HOME|*|;|\\||&")]
    public void A_command_is_split_into_words_by_the_rules_of_a_shell_without_any_expansion(string text, string words) =>
        Assert.Equal(words.Replace("\\|", "\u0001").Split('|').Select(word => word.Replace('\u0001', '|')),
            Parsers.Words(text, "--base", backslashIsPlain: false));

    [Fact]
    public void A_backslash_separates_folders_on_Windows() =>
        Assert.Equal([@"C:\old build\Shop.exe", "{port}"],
            Parsers.Words("\"C:\\old build\\Shop.exe\" {port}", "--base", backslashIsPlain: true));

    [Theory]
    [InlineData("a 'b", "--base has a quotation mark ' that is not closed: a 'b")]
    [InlineData("a \\", "--base ends with a backslash: a \\")]
    [InlineData("'' {address}", "--base begins with an empty word, but the first word must be a program: '' {address}")]
    [InlineData(" ", "--base is empty: write the command that starts a server")]
    public void An_invalid_command_is_rejected(string text, string sentence) => Assert.Equal(
        sentence, Assert.Throws<UsageException>(() => Parsers.Words(text, "--base", backslashIsPlain: false)).Message);

    [Fact]
    public void Both_sides_are_arms_whose_servers_are_started_anew_for_each_round()
    {
        var options = Read("--base", "old {address}", "--head", "new --port {port} --socket {path}");
        Assert.Equal([("", "base"), ("build=head", "head")], options.Variants.Select(variant => (variant.Name, variant.Side)));
        Assert.Equal([["old", "{address}"], ["new", "--port", "{port}", "--socket", "{path}"]],
            options.Variants.Select(variant => variant.Command!));
        Assert.True(options.FreshServers && options.OwnServer);
        Assert.Equal(["tcp", "unix"], options.Transports);
    }

    [Theory]
    [InlineData("old --port {port}", "--base does not say where the server listens for unix: write {url}, {address} or {path} in the "
        + "command")]
    [InlineData("old --socket {path}", "--base does not say where the server listens for tcp: write {url}, {address} or {port} in the "
        + "command")]
    public void A_command_without_a_placeholder_for_its_address_is_rejected(string command, string sentence) => Assert.Equal(
        sentence, Assert.Throws<UsageException>(() => Read("--base", command, "--head", "new {address}")).Message);

    [Fact]
    public void Two_values_of_a_setting_are_rejected() => Assert.Equal(
        "--base and --head are the arms to compare: give every other setting one value",
        Assert.Throws<UsageException>(() => Read("--base", "old {address}", "--head", "new {address}", "--nagle", "on,off")).Message);

    [Fact]
    public void Every_process_gets_its_own_port_and_path()
    {
        GivenCommand[] all = [.. new[] { "tcp", "unix", "tls" }.Select(kind =>
            new GivenCommand("x", ["{address}", "{port}", "--at={path}"], kind, null, NoVariables))];
        var filled = all.Select(command => command.Filled().ToList()).ToList();
        Assert.All(all.Zip(filled), one => Assert.Equal(one.First.Probe.ToString(), one.Second[0]));
        Assert.Equal($"http://127.0.0.1:{filled[0][1]}", filled[0][0]);
        Assert.Equal($"unix:{filled[1][2][5..]}", filled[1][0]);
        Assert.Equal($"https://127.0.0.1:{filled[2][1]}", filled[2][0]);
        Assert.Equal(3, filled.Select(words => words[2]).Distinct().Count());
    }

    [Theory]
    [InlineData("tcp", "^http://127\\.0\\.0\\.1:[0-9]+$")]
    [InlineData("tls", "^https://127\\.0\\.0\\.1:[0-9]+$")]
    [InlineData("unix", "^http://unix:/.+\\.sock$")]
    [InlineData("pipe", "^http://pipe:/[^/]+$")]
    public void The_placeholder_url_becomes_a_URL_in_the_form_that_Kestrel_expects(string kind, string pattern) =>
        Assert.Matches(pattern, new GivenCommand("x", ["{url}"], kind, null, NoVariables).Filled().Single());

    [Fact]
    public async Task A_server_that_ends_before_it_listens_is_reported_with_its_last_lines()
    {
        var (command, told) = await RefusedAsync("echo starting; echo no database >&2; exit 3");
        // The two lines come through two pipes, in either order.
        Assert.Matches($"^the base server ended with exit code 3 before it listened at {command.Probe}: its last lines:"
            + "(\n  starting\n  no database|\n  no database\n  starting)$", told);
    }

    [Fact]
    public async Task The_error_shows_the_first_1000_characters_of_an_endless_line_of_a_server()
    {
        var (_, told) = await RefusedAsync("head -c 3000000 /dev/zero | tr '\\0' x; exit 3");
        Assert.EndsWith(": its last lines:\n  " + new string('x', 1000), told, StringComparison.Ordinal);
    }

    [Fact]
    public Task A_server_that_never_listens_is_ended_with_all_its_children() => TestLoad.InTheEndAsync(async () =>
    {
        var (_, told) = await RefusedAsync("sleep 1000 & echo $!; wait", TimeSpan.FromSeconds(1));
        // On a busy machine, the shell may not have written the number in time.
        Assert.Matches(@"^the base server did not become ready within 1 s: its last lines:\n  \d+$", told);
        var inner = int.Parse(told.Split('\n')[^1], System.Globalization.CultureInfo.InvariantCulture);
        for (var i = 0; i < 300 && ProcessTree.NameOf(inner) == "sleep"; i++)
            await Task.Delay(100, TestContext.Current.CancellationToken);
        Assert.NotEqual("sleep", ProcessTree.NameOf(inner));
    });

    [Fact]
    public Task Servers_that_have_ended_leave_no_pipe_behind() => TestLoad.InTheEndAsync(async () =>
    {
        const int servers = 30;
        var before = Pipes();
        for (var i = 0; i < servers; i++)
            await RefusedAsync("exit 3");
        // Two pipes left by each server would be 60. Other tests have some pipes open meanwhile.
        Assert.InRange(Pipes() - before, int.MinValue, servers / 2);

        static int Pipes() => !OperatingSystem.IsLinux() ? 0 : Directory.GetFiles("/proc/self/fd")
            .Count(file => new FileInfo(file).LinkTarget?.StartsWith("pipe:", StringComparison.Ordinal) == true);
    });

    /// <summary>Starts a line of the shell as a server that never listens, and returns the error message.</summary>
    private static async Task<(GivenCommand Command, string Told)> RefusedAsync(string line, TimeSpan? patience = null)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        var command = new GivenCommand("the base server", ["sh", "-c", line, "{port}"], "tcp", null, NoVariables);
        var refused = await Assert.ThrowsAsync<EnvironmentException>(() =>
            ChildServer.StartAsync(command, TestContext.Current.CancellationToken, patience));
        return (command, refused.Message);
    }

    [Fact]
    public void A_missing_program_is_reported() => Assert.Equal("cannot start the base server: /no/such/server: "
        + new System.ComponentModel.Win32Exception(2).Message,
        Assert.Throws<EnvironmentException>(() =>
            new GivenCommand("the base server", ["/no/such/server", "{port}"], "tcp", null, NoVariables).Start()).Message);

    [Fact]
    public void A_folder_in_place_of_the_program_is_reported() => Assert.Equal(
        $"cannot start the base server: {AppContext.BaseDirectory}: the path is a folder",
        Assert.Throws<EnvironmentException>(() =>
            new GivenCommand("the base server", [AppContext.BaseDirectory, "{port}"], "tcp", null, NoVariables).Start()).Message);

    [Fact]
    public async Task An_exception_of_a_server_is_shown_without_its_stack_trace()
    {
        var (_, told) = await RefusedAsync(
            "echo 'Unhandled exception. System.OutOfMemoryException: no thread' >&2; "
                + "i=0; while [ $i -lt 60 ]; do echo '   at A.B()' >&2; i=$((i+1)); done; echo ' ---> its cause' >&2; exit 134");
        Assert.Contains("with exit code 134 (SIGABRT) before it listened at ", told, StringComparison.Ordinal);
        Assert.EndsWith("its exception:\n  System.OutOfMemoryException: no thread", told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--transports tcp\n--fail-on 'server_cpu>3%' --label ''", 4, "--transports|tcp|--fail-on|server_cpu>3%|--label|")]
    [InlineData("", 4, "")]
    [InlineData("--transports tcp --note 'it is --fail-on server_cpu>3%", 1, null)] // an open quote would lose --fail-on
    public async Task The_GitHub_action_passes_its_options_to_ab_and_returns_the_exit_code_of_ab(string options, int code, string? words)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        var folder = Directory.CreateTempSubdirectory("a b ").FullName;
        File.WriteAllText(Path.Combine(folder, "run.json"), "of an earlier use");
        var tool = Path.Combine(folder, "GrpcBench");
        File.WriteAllText(tool, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 4\n");
        if (OperatingSystem.IsLinux())
            File.SetUnixFileMode(tool, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        var start = new System.Diagnostics.ProcessStartInfo("bash", [Path.Combine(Repository.Root, "action", "run"), "ab", folder, folder])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["GRPCBENCH_BASE"] = "old {address}", ["GRPCBENCH_HEAD"] = "new", ["GRPCBENCH_OPTIONS"] = options },
        };
        using var action = System.Diagnostics.Process.Start(start)!;
        var said = action.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        var printed = await action.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await action.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(code, action.ExitCode);
        string[] own = ["ab", "--base", "old {address}", "--head", "new", "-o", Path.Combine(folder, "run.json")];
        Assert.Equal(words is null ? [] : words.Length == 0 ? own : [.. own, .. words.Split('|')], printed.Split('\n')[..^1]);
        Assert.Equal(words is null, (await said).Contains("options: a quotation mark is not closed", StringComparison.Ordinal));
        Assert.False(File.Exists(Path.Combine(folder, "run.json")), "what an earlier use left would pass for this one's");
        Directory.Delete(folder, recursive: true);
    }

    private static RunOptions Read(params string[] arguments)
    {
        var ab = new AbCommand();
        var command = new RootCommand();
        foreach (var option in ab.All)
            command.Options.Add(option);
        var typed = command.Parse(arguments);
        Assert.Empty(typed.Errors);
        return ab.Read(typed);
    }
}
