using System.CommandLine;
using IpcBench.Analysis.Results;
using IpcBench.Client.Commands;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Run;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Cli;

public sealed class ReportCommandTests : IDisposable
{
    private readonly string file = Path.Combine(Path.GetTempPath(), $"report-{Guid.NewGuid():N}.json");

    public void Dispose()
    {
        foreach (var ending in new[] { "", ".md", ".csv" })
            File.Delete(file + ending);
    }

    [Fact]
    public async Task Each_output_file_gets_the_report_format_of_its_own_extension()
    {
        ResultsFile.Save(file, await MadeUp.RunAsync(new MadeUpRounds(), rounds: 1));
        string[] arguments = ["report", file, "-o", file + ".md", "-o", file + ".csv"];
        var typed = CommandTree.Create(arguments).Parse(arguments);
        Assert.Empty(typed.Errors);
        Assert.Equal(0, await typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken));
        Assert.Contains("\n| ", await File.ReadAllTextAsync(file + ".md", TestContext.Current.CancellationToken), StringComparison.Ordinal);
        Assert.Contains(",transport,", await File.ReadAllTextAsync(file + ".csv", TestContext.Current.CancellationToken),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_report_does_not_replace_its_results_file()
    {
        ResultsFile.Save(file, await MadeUp.RunAsync(new MadeUpRounds(), rounds: 1));
        var same = Path.Combine(Path.GetDirectoryName(file)!, ".", Path.GetFileName(file));
        string[] arguments = ["report", file, "--format", "json", "-o", same];
        var typed = CommandTree.Create(arguments).Parse(arguments);
        await Assert.ThrowsAsync<UsageException>(() => typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken));
        Assert.NotEmpty(ResultsFile.Load(file).Rounds);
    }

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
        Assert.Equal($"there is nothing in {file} that --format {format} can show", refused.Message);
    }
}
