using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Doctor;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;
using IpcBench.Transports;
using Examination = IpcBench.Client.Doctor.Doctor;

namespace IpcBench.Client.Cli;

/// <summary><c>doctor</c>: prints each finding with its fix. Exits with 2 if a finding would stop a run.</summary>
internal static class DoctorCommand
{
    /// <summary>The default addresses of this tool's server.</summary>
    private static readonly string[] ServerDefaults =
        ["http://localhost:5000", "https://localhost:5001", "unix:/tmp/greeter.sock", "pipe:/PipeGreeter"];

    public static Command Create()
    {
        var list = new OptionList();
        var connections = list.Text(HelpPlace.Machine, "-c", "N", "connections that the run will open (default: 400)", "--connections");
        var url = list.Many(HelpPlace.Machine, "-U", "URL", "server to measure (default: this tool starts a server)", "--url");
        var clientCpus = list.Text(HelpPlace.Machine, "--client-cpus", "CPUS", "CPUs for the client, as in 0-1,3");
        var serverCpus = list.Text(HelpPlace.Machine, "--server-cpus", "CPUS", "CPUs for the server");
        var buffer = list.Text(HelpPlace.Machine, "--socket-buffer", "SIZE", "socket buffer size that the run will ask for");
        var format = CompletionCommand.Suggesting(
            list.Text(HelpPlace.Output, "--format", "FORMAT", "text (default) or json: an array of the checks"), "text", "json");
        var command = list.AddTo(new Command("doctor", "Check whether measurements on this machine can be trusted"));
        command.SetAction((parsed, _) => RunAsync(
            new DoctorOptions
            {
                Connections = Connections(parsed.GetValue(connections) ?? "400"),
                Backlog = parsed.GetValue(url) is { Length: > 0 } ? null : DoctorOptions.UsualBacklog,
                Targets = [.. (parsed.GetValue(url) ?? []).Select(address => Parsers.Address(address))],
                Neighbours = parsed.GetValue(url) is { Length: > 0 } ? [] : [.. ServerDefaults.Select(Address.Parse)],
                ClientCpus = parsed.GetValue(clientCpus) is { } client ? Parsers.Cpus(client, "--client-cpus") : null,
                ServerCpus = parsed.GetValue(serverCpus) is { } server ? Parsers.Cpus(server, "--server-cpus") : null,
                SocketBuffer = parsed.GetValue(buffer) is { } size
                    ? (int)Math.Min(int.MaxValue, Parsers.Count(size, "--socket-buffer"))
                    : null,
                Tls = true,
                Tcp = (parsed.GetValue(url) ?? []).Select(address => Parsers.Address(address)).ToList() is var given
                    && (given.Count == 0 || given.Exists(address => address is Address.Tcp or Address.Tls)),
                Watch = TimeSpan.FromMilliseconds(500),
            },
            parsed.GetValue(format) is { } named && Parsers.OneOf(named, "--format", "text", "json") == "json",
            parsed.InvocationConfiguration.Output));
        return command;
    }

    private static async Task<int> RunAsync(DoctorOptions options, bool json, TextWriter output)
    {
        var findings = await Examination.ExamineAsync(options, HostRecord.Read());
        await output.WriteAsync(json ? Json(findings)
            : Lines(findings, output == Console.Out && Screen.OfOutput() is { IsTerminal: true, Width: var width } ? width : null));
        return findings.Any(finding => finding.Level == Level.Problem) ? ExitCode.Environment : ExitCode.Ok;
    }

    /// <summary>
    /// Makes one line per finding: level, check, observation, and the fix after an arrow. Wraps the line if the terminal is too narrow.
    /// </summary>
    internal static string Lines(IReadOnlyList<Finding> findings, int? width)
    {
        var longest = findings.Max(finding => finding.Check.Length);
        return string.Concat(findings.SelectMany(finding => TextWrapping.Lines(
            finding.Text + (finding.Fix.Length > 0 ? " -> " + finding.Fix : ""), width,
            $"{Label(finding.Level),-8} {finding.Check.PadRight(longest)}  ", "    ")).Select(line => line + "\n"));
    }

    private static string Json(IReadOnlyList<Finding> findings) =>
        JsonSerializer.Serialize(findings, DoctorJson.Default.IReadOnlyListFinding) + "\n";

    private static string Label(Level level) => level switch { Level.Ok => "ok", Level.Warn => "warn", _ => "problem" };

    private static int Connections(string text)
    {
        var count = Parsers.Count(text, "-c");
        return count is > 0 and <= 1_000_000
            ? (int)count
            : throw new UsageException($"-c '{text}' is not a number of connections from 1 to 1000000");
    }
}

/// <summary>The JSON of <c>doctor --format json</c>: an array of check, level, text and fix.</summary>
[JsonSourceGenerationOptions(
    WriteIndented = true, NewLine = "\n", PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
[JsonSerializable(typeof(IReadOnlyList<Finding>))]
internal sealed partial class DoctorJson : JsonSerializerContext;
