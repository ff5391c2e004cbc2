using System.Diagnostics;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

public class OtherProcessesTests
{
    // The name of a program is read when two readings are compared: by then the program may have ended.
    [Fact]
    public async Task A_program_that_ended_after_its_reading_is_counted_but_not_named()
    {
        Assert.SkipWhen(OtherProcesses.Read() is null, "what others use is not told here");
        using var spinner = Process.Start(new ProcessStartInfo("sh", ["-c", "while :; do :; done"]))!;
        var before = OtherProcesses.Read()!;
        OtherProcesses after;
        try
        {
            var deadline = Stopwatch.GetTimestamp() + 30 * Stopwatch.Frequency;
            while (Own(before, spinner) < 300_000_000 && Stopwatch.GetTimestamp() < deadline)
                await Task.Delay(50, TestContext.Current.CancellationToken);
            after = OtherProcesses.Read()!;
        }
        finally
        {
            spinner.Kill();
            await spinner.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
        var (with, without) = (OtherProcesses.Between(before, after, []), OtherProcesses.Between(before, after, [spinner.Id]));
        Assert.InRange(with.TotalNs - without.TotalNs, 300_000_000, long.MaxValue);
        Assert.DoesNotContain(with.Busiest, one => one.Process == spinner.Id || one.Name.Length == 0);
    }

    [Fact]
    public async Task A_spinning_program_is_counted_and_named_unless_its_family_is_left_out()
    {
        Assert.SkipWhen(OtherProcesses.Read() is null, "what others use is not told here");
        using var spinner = Process.Start(new ProcessStartInfo("sh", ["-c", "while :; do :; done"]))!;
        try
        {
            var before = OtherProcesses.Read()!;
            var deadline = Stopwatch.GetTimestamp() + 30 * Stopwatch.Frequency;
            while (Own(before, spinner) < 300_000_000 && Stopwatch.GetTimestamp() < deadline)
                await Task.Delay(50, TestContext.Current.CancellationToken);
            var after = OtherProcesses.Read()!;
            var with = OtherProcesses.Between(before, after, []);
            var without = OtherProcesses.Between(before, after, [spinner.Id]);
            Assert.InRange(with.TotalNs - without.TotalNs, 300_000_000, long.MaxValue);
            Assert.DoesNotContain(without.Busiest, one => one.Process == spinner.Id);
            // Other programs of this machine may be busier than the spinner. The spinner is named unless they take all the places.
            Assert.InRange(with.Busiest.Count, 1, OtherUsage.Named);
            Assert.Equal(with.Busiest.OrderByDescending(one => one.CpuNs), with.Busiest);
            var others = without.Busiest.Count(one => one.CpuNs >= with.TotalNs - without.TotalNs);
            Assert.True(others == OtherUsage.Named || with.Busiest.Any(one => one.Process == spinner.Id && one.Name == "sh"),
                string.Join(", ", with.Busiest));
        }
        finally
        {
            spinner.Kill();
            await spinner.WaitForExitAsync(TestContext.Current.CancellationToken);
        }
    }

    private static long Own(OtherProcesses before, Process spinner)
    {
        var after = OtherProcesses.Read()!;
        return OtherProcesses.Between(before, after, []).TotalNs - OtherProcesses.Between(before, after, [spinner.Id]).TotalNs;
    }
}
