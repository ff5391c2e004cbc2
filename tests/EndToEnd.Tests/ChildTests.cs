using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks gRPC with child processes: over standard input and output, a socketpair(2) and shared memory.</summary>
public sealed class ChildTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private static readonly string[] Kinds = OperatingSystem.IsWindows() ? ["shm", "stdio"] : ["shm", "socketpair", "stdio"];

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData("1000000", "--transports", "unix,{0}", "-m", "3")] // a reply is larger than the ring and the pipes
    [InlineData("10", "--transports", "{0}", "--client", "grpc-dotnet")]
    [InlineData("100000", "--transports", "{0}", "--mode", "push", "-m", "4")]
    public async Task Calls_and_messages_are_measured_with_the_CPU_of_the_children(string size, params string[] more)
    {
        var (code, output, error) = await Tool.RunAsync(
            [.. more.Select(one => string.Format(null, one, string.Join(',', Kinds))), "-c", "1", "-s", size, "-r", "1", "-n", "50",
                "--warmup", "1ms", "--wait", OperatingSystem.IsWindows() ? "event" : "futex,spin=20us", "-o", File]);
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(File);
        Assert.Equal(
            more.Contains("unix,{0}") ? [.. Kinds, "unix"] : Kinds,
            run.Cells.Select(cell => cell.Key.Transport).Distinct().Order(StringComparer.Ordinal));
        Assert.Equal(run.Cells.Count, run.Rounds.Count);
        Assert.All(run.Rounds, round =>
        {
            Assert.True(round.Ok > 0, output);
            Assert.Equal(round.Started, round.Ok);
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        });
    }
}
