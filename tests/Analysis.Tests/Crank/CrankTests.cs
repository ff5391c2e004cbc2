using System.Globalization;
using System.Text.Json;
using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests.Crank;

public sealed class CrankTests
{
    private static readonly RunRecord Run = new SampleRuns
    {
        Transports = ["unix"],
        Sizes = [1_000],
        Rounds = 1,
        SamplesPerRound = 20_000
    }.Make();

    [Fact]
    public void The_statistics_for_crank_have_the_numbers_of_the_median_round()
    {
        var measurements = ParseAsCrankDoes("Running …\n" + CrankStatistics.Make(Run)).GetProperty("Measurements").EnumerateArray()
            .ToDictionary(item => item.GetProperty("name").GetString()!, item => item.GetProperty("value"));

        var round = new MeasuredRun(Run).Cells[0].Median!;
        Assert.Equal(round.Rate, measurements["grpc/rps/mean;http/rps/mean"].GetDouble(), 6);
        Assert.Equal(round.MeanNs!.Value / 1e6, measurements["grpc/latency/mean;http/latency/mean"].GetDouble(), 6);
        foreach (var percent in new[] { "50", "75", "90", "99" })
            Assert.Equal(round.Latency.At(double.Parse(percent, CultureInfo.InvariantCulture))!.Value / 1e6,
                measurements[$"grpc/latency/{percent};http/latency/{percent}"].GetDouble(), 6);
        Assert.Equal(round.Latency.Longest!.Value / 1e6, measurements["grpc/latency/max;http/latency/max"].GetDouble(), 6);
        Assert.Equal(0, measurements["grpc/errors/badresponses;http/requests/badresponses"].GetDouble());
        Assert.InRange(measurements["ipc/client-cpu-us"].GetDouble(), 1, 1000);
        Assert.InRange(measurements["ipc/server-cpu-us"].GetDouble(), 1, 1000);
    }

    [Fact]
    public void The_statistics_of_several_rounds_for_crank_equal_the_numbers_of_the_reports()
    {
        var run = new SampleRuns { Transports = ["unix"], Sizes = [1_000], Rounds = 3, SamplesPerRound = 2_000 }.Make();
        var compiling = new MeasuredRun(run).Cells[0].Median!.Record.Number;
        run = run with
        {
            Cells = [run.Cells[0] with { Key = run.Cells[0].Key with { Load = "1000/s" } }],
            Rounds = [.. run.Rounds.Select(round => round.Number != compiling ? round
                : round with { Client = round.Client with { CpuUserNs = 100 * round.Client.CpuUserNs } })],
        };
        var cell = new MeasuredRun(run).Cells[0];
        var told = ParseAsCrankDoes(CrankStatistics.Make(run)).GetProperty("Measurements").EnumerateArray()
            .ToDictionary(item => item.GetProperty("name").GetString()!, item => item.GetProperty("value"));
        Assert.Equal(cell.Value(Metric.ClientCpu)!.Value / 1e3, told["ipc/client-cpu-us"].GetDouble(), 6);
        Assert.Equal(cell.Value(Metric.P99)!.Value / 1e6, told["grpc/latency/99;http/latency/99"].GetDouble(), 6);
    }

    [Fact]
    public void Every_measurement_has_metadata_with_operations_that_crank_knows()
    {
        var block = ParseAsCrankDoes(CrankStatistics.Make(Run));
        var described = block.GetProperty("Metadata").EnumerateArray().ToDictionary(item => item.GetProperty("name").GetString()!);
        string[] operations = ["First", "Last", "Avg", "Sum", "Median", "Max", "Min", "Count", "All", "Delta"];

        foreach (var measurement in block.GetProperty("Measurements").EnumerateArray())
        {
            var metadata = described[measurement.GetProperty("name").GetString()!];
            Assert.Contains(metadata.GetProperty("aggregate").GetString(), operations);
            Assert.Contains(metadata.GetProperty("reduce").GetString(), operations);
            Assert.Equal(DateTimeKind.Utc, measurement.GetProperty("timestamp").GetDateTime().Kind);
        }
    }

    [Fact]
    public void Failed_calls_and_cut_off_calls_are_counted_as_bad_responses_for_crank()
    {
        var round = Run.Rounds[0] with { Failed = new Dictionary<string, long> { ["status 13"] = 7 }, CutOff = 2 };

        var block = ParseAsCrankDoes(CrankStatistics.Make(Run with { Rounds = [round] }));

        Assert.Equal(9, block.GetProperty("Measurements").EnumerateArray()
            .Single(item => item.GetProperty("name").GetString()!.StartsWith("grpc/errors", StringComparison.Ordinal)).GetProperty("value")
            .GetInt64());
    }

    [Fact]
    public void A_run_of_several_cells_is_rejected_for_crank() =>
        Assert.Equal("crank accepts only one transport and one size in a run (Parameter 'run')",
            Assert.Throws<ArgumentException>(() => CrankStatistics.Make(new SampleRuns { Rounds = 1 }.Make())).Message);

    [Fact]
    public void The_whole_run_is_read_from_the_file_that_crank_writes()
    {
        var path = WriteAsCrankDoes(ParseAsCrankDoes(CrankStatistics.Make(Run)));

        var read = CrankFile.TryParse(File.ReadAllBytes(path), path)!;

        Assert.Equal(ResultsFile.ToJson(Run), ResultsFile.ToJson(read));
        File.Delete(path);
    }

    [Fact]
    public void A_crank_file_without_data_of_this_tool_is_reported()
    {
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.json");
        File.WriteAllText(path, """
            { "returnCode": 0, "jobResults": { "jobs": { "load": { "results": { "bombardier/requests": 1 } } } } }
            """);

        Assert.Equal(
            $"{path} is a file of crank, but no job in the file ran GrpcBench with --crank",
            Assert.Throws<ResultsFileException>(() => CrankFile.TryParse(File.ReadAllBytes(path), path)).Message);
        File.Delete(path);
    }

    [Fact]
    public void A_results_file_is_not_read_as_a_crank_file()
    {
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.json");
        ResultsFile.Save(path, Run);

        Assert.Null(CrankFile.TryParse(File.ReadAllBytes(path), path));
        File.Delete(path);
    }

    // crank's agent, Startup.cs, ParseMeasurementOutput: the last line ends a block, and the last start marker before that line begins
    // the block.
    private static JsonElement ParseAsCrankDoes(string output)
    {
        var lines = output.TrimEnd('\n').Split('\n');
        Assert.Equal("#EndJobStatistics", lines[^1]);
        var start = Array.FindLastIndex(lines, line => line.Contains("#StartJobStatistics", StringComparison.OrdinalIgnoreCase));
        Assert.Equal("#StartJobStatistics", lines[start]);
        return JsonDocument.Parse(string.Join('\n', lines.Skip(start + 1).Take(lines.Length - start - 2))).RootElement;
    }

    // crank's controller keeps each value under the first of its names.
    private static string WriteAsCrankDoes(JsonElement block)
    {
        var results = block.GetProperty("Measurements").EnumerateArray()
            .ToDictionary(item => item.GetProperty("name").GetString()!.Split(';')[0], item => item.GetProperty("value"));
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.json");
        File.WriteAllText(path, JsonSerializer
            .Serialize(new { returnCode = 0, jobResults = new { jobs = new { load = new { results } } } }));
        return path;
    }
}
