using System.CommandLine;
using IpcBench.Analysis.Results;
using IpcBench.Client.Commands;
using IpcBench.Client.Tests.Run;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Cli;

public sealed class ReportCommandTests : IDisposable
{
    private readonly string file = Path.Combine(Path.GetTempPath(), $"report-{Guid.NewGuid():N}.json");

    public void Dispose() => File.Delete(file);

    [Theory]
    [InlineData("hgrm")]
    [InlineData("wrk")]
    public async Task A_format_that_needs_rounds_rejects_a_file_without_rounds(string format)
    {
        var run = await MadeUp.RunAsync(new MadeUpRounds(), rounds: 1);
        ResultsFile.Save(file, run with { Rounds = [] });
        string[] arguments = ["report", file, "--format", format];
        var typed = CommandTree.Create(arguments).Parse(arguments);
        Assert.Empty(typed.Errors);
        var refused = await Assert.ThrowsAsync<EnvironmentException>(() => typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken));
        Assert.Equal($"--format {format} shows rounds, but there is no round in {file}", refused.Message);
    }
}
