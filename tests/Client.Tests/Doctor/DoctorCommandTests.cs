using System.CommandLine;
using System.Text.Json;
using IpcBench.Client.Cli;
using IpcBench.Client.Doctor;
using IpcBench.Client.Plan;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Doctor;

public class DoctorCommandTests
{
    private static async Task<(int Exit, string Text)> RunAsync(params string[] arguments)
    {
        var output = new StringWriter();
        var configuration = new InvocationConfiguration { Output = output, EnableDefaultExceptionHandler = false };
        var exit = await DoctorCommand.Create().Parse(arguments).InvokeAsync(configuration).WaitAsync(TimeSpan.FromSeconds(30));
        return (exit, output.ToString());
    }

    [Fact]
    public async Task Every_line_begins_with_its_level_and_an_aligned_name()
    {
        var (_, text) = await RunAsync("-c", "10");

        var lines = text.TrimEnd('\n').Split('\n');
        Assert.True(lines.Length >= 18);
        Assert.All(lines, line => Assert.Matches("^(ok     |warn   |problem)  [a-z-]+ +[^ ]", line));
    }

    [Fact]
    public void Lines_on_a_terminal_break_between_words() => Assert.Equal(
        "warn     cores  two CPUs for client and\n    server together -> more CPUs\n",
        DoctorCommand.Lines([new Finding("cores", Level.Warn, "two CPUs for client and server together", "more CPUs")], 40));

    [Fact]
    public async Task With_a_missing_server_the_command_doctor_exits_with_2_and_says_what_to_do()
    {
        var address = $"unix:{Path.GetTempPath()}none-{Guid.NewGuid():N}";

        var (exit, text) = await RunAsync("-U", address);

        Assert.Equal(ExitCode.Environment, exit);
        Assert.Equal(
            $"problem  server             no server answers at {address} -> is your server running, and does it listen there? "
                + "Without -U this tool starts a server of its own",
            text.Split('\n').Single(line => line.Contains("  server  ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task The_command_doctor_exits_with_2_if_the_connections_need_more_open_files_than_allowed()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Windows does not limit them");
        Assert.SkipWhen(OpenFileLimit.Read().Hard >= 1_000_000, "no limit here");

        var (exit, text) = await RunAsync("-c", "1M");

        Assert.Equal(ExitCode.Environment, exit);
        Assert.Matches(
            "^problem  open-files         [0-9]+ open files are allowed, too few for 1000000 connections -> raise the hard limit (.+) or "
                + "use -c [0-9]+ at most$",
            text.Split('\n').Single(line => line.Contains("  open-files  ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task The_JSON_of_doctor_is_an_array_of_findings_with_a_known_level()
    {
        var (_, text) = await RunAsync("--format", "json", "-c", "10");

        using var json = JsonDocument.Parse(text);
        string[] levels = ["ok", "warn", "problem"];
        Assert.All(json.RootElement.EnumerateArray(), finding => Assert.Contains(finding.GetProperty("level").GetString(), levels));
    }

    [Theory]
    [InlineData("-c '0' is not a number of connections from 1 to 1000000", "-c", "0")]
    [InlineData(
        "'somewhere' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name",
        "-U", "somewhere")]
    [InlineData("--format 'xml' is unknown: write one of text, json", "--format", "xml")]
    [InlineData("--client-cpus: '99999' is not a CPU set: write numbers and ranges, as in 0-1,3", "--client-cpus", "99999")]
    public async Task A_wrong_option_is_a_usage_error(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, (await Assert.ThrowsAsync<UsageException>(() => RunAsync(arguments))).Message);
}
