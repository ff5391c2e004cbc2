using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Tests;

public class AnswerTests
{
    [Fact]
    public void An_arm_that_another_is_ahead_of_is_no_candidate_though_the_leader_had_a_bad_round()
    {
        var quiet = new SampleRuns
        {
            Sizes = [10],
            Rounds = 6,
            Noise = 0.001,
            Speed = (transport, _) =>
            transport switch { "unix" => 1.01, "pipe" => 0.8, _ => 1 }
        }.Make();
        var run = quiet with
        {
            Rounds = [.. quiet.Rounds.Select(round => round is { Cell: 1, Number: 3 }
            ? round with { Completed = round.Completed * 6 / 10 } : round)]
        };

        var answer = Answers.Of(new MeasuredRun(run))[0];

        Assert.StartsWith("10 B: not decided between unix and tcp: ", answer, StringComparison.Ordinal);
        Assert.StartsWith("10 B: not decided between unix and tcp: ", answer, StringComparison.Ordinal);
        Assert.Contains("; tcp is faster than pipe by 25.0 % [", answer, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_client_has_its_own_answer()
    {
        var wire = new SampleRuns
        {
            Transports = ["tcp", "unix", "pipe"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (transport, _) =>
            transport == "unix" ? 1.2 : 1
        }.Make();
        var theirs = new SampleRuns
        {
            Transports = ["tcp", "unix", "pipe"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (transport, _) =>
            transport == "tcp" ? 1 : 0.8
        }.Make();
        var run = wire with
        {
            Cells = [.. wire.Cells, .. theirs.Cells.Select(cell => cell with { Key = cell.Key with { Client = "grpc-dotnet" } })],
            Rounds = [.. wire.Rounds, .. theirs.Rounds.Select(round => round with { Cell = round.Cell + wire.Cells.Count })],
        };

        var answers = Answers.Of(new MeasuredRun(run));

        Assert.StartsWith("10 B: unix is fastest: faster than tcp by ", answers[0], StringComparison.Ordinal);
        Assert.StartsWith("10 B: tcp grpc-dotnet is fastest: faster than ", answers[1], StringComparison.Ordinal);
    }
}
