using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>The base of tests whose short runs write into a folder of their own.</summary>
public abstract class WritingStage(GivenServer? server = null) : IDisposable
{
    // A number of calls instead of a time, so that a round is short.
    private static readonly string[] Load = ["-s", "10", "-c", "2", "-t", "1", "-n", "1000", "--warmup", "0s"];

    /// <summary>Words of a shell for a run that starts a new server for each round.</summary>
    protected static string OwnServer => "--transports unix " + string.Join(' ', Load);

    /// <summary>Words of a shell for a run against the given server.</summary>
    protected string Tiny => $"-U '{Address}' {string.Join(' ', Load)}";

    /// <summary>The arguments of a run of 40 rounds of 100 ms, so that a test can act during the run.</summary>
    protected string[] Rounds => ["-U", Address, .. Load[..^4], "-d", "100ms", "-R", "200", "--warmup", "0s", "-r", "12"];

    protected static string Client => $"'{Path.Combine(Tool.ClientFolder, "GrpcBench")}'";

    /// <summary>The folder of this test, which is also the folder for temporary files.</summary>
    protected string Place { get; } = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    /// <summary>The folder as a word of a shell; a file in it is <c>{Folder}/name</c>.</summary>
    protected string Folder => $"'{Place}'";

    private string Address => server?.Address ?? throw new InvalidOperationException("these tests have no given server");

    public void Dispose() => Directory.Delete(Place, recursive: true);

    protected string PathOf(string name) => Path.Combine(Place, name);

    // A round that other load disturbed is measured twice, and counts once.
    private protected static int RoundsOf(RunRecord run) => run.Rounds.Select(round => round.Number).Distinct().Count();

    private protected static RunRecord Parsed(string json) =>
        ResultsFile.Parse(System.Text.Encoding.UTF8.GetBytes(json), "standard output");

    protected async Task<(int Code, string Output, string Error)> ShellAsync(string script, string? temporary = null)
    {
        await using var tool = Tool.StartProgram("sh", temporary ?? Place, "-c", script);
        return (await tool.ExitCodeAsync(), tool.Output, tool.Error);
    }
}
