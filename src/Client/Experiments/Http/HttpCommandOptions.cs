using System.CommandLine;
using IpcBench.Client.Cli;

namespace IpcBench.Client.Experiments.Http;

/// <summary>The options of <c>http</c>: servers, request, and the options of the main command about measuring.</summary>
internal sealed class HttpCommandOptions(OptionList list)
{
    public HttpCommandOptions()
        : this(new OptionList())
    {
    }

    public RunCommandOptions Run { get; } = new(HttpCommand.Preset);

    public Argument<string[]> Urls { get; } = new("URL")
    {
        Description = "server to measure: http://host:port/path?query, https://…, unix:/path/of.sock, unix-abstract:name, pipe:/name; "
            + "NAME=URL names the arm; several URLs are measured in one run and compared",
        Arity = new ArgumentArity(0, 100),
    };

    public Option<string> Path { get; } = list.Text(HelpPlace.What, "--path", "PATH",
        "path and query for URLs without a path (default: /)");

    public Option<string> Method { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.What.Rarely, "--method", "METHOD",
        "GET (default; POST with --body), HEAD, POST, …"), "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    public Option<string> Body { get; } = list.Text(HelpPlace.What.Rarely, "--body", "FILE",
        "file to send as the body of every request");

    public Option<bool> VaryingLength { get; } = list.Flag(HelpPlace.What.Rarely, "--varying-length",
        "replies may differ in length (default: a length other than the first reply's is a failure)", "-l");

    public Option<string> ExpectStatus { get; } = list.Text(HelpPlace.What.Rarely, "--expect-status", "LIST",
        "statuses that count as success, as in 200,304 or 2xx,404 (default: 2xx)");

    public Option<string[]> Header { get; } = list.Many(HelpPlace.Service.Rarely, "-H", "'NAME: VALUE'",
        "header of every request, repeatable; may replace Host; @FILE or '$VARIABLE' holds headers, one per line", "--header");

    public Option<string> Scenario { get; } = new("--scenario") { HelpName = "NAME", Hidden = true };

    /// <summary>The options in the order of the help.</summary>
    public IEnumerable<Option> Offered => [.. list.All, Scenario, .. Run.Offered];
}
