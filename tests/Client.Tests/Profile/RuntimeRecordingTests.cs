using System.Diagnostics;
using System.Runtime.CompilerServices;
using IpcBench.Analysis.Profile;
using IpcBench.Client.Profile;

namespace IpcBench.Client.Tests.Profile;

/// <summary>Samples this process by its own runtime.</summary>
public sealed class RuntimeRecordingTests
{
    private static readonly TimeSpan Length = TimeSpan.FromMilliseconds(500);

    [Fact]
    public async Task A_runtime_samples_the_threads_that_work_and_not_the_threads_that_wait()
    {
        using var stop = new CancellationTokenSource();
        Thread[] threads = [new(() => Work(stop.Token)), new(() => Wait(stop.Token))];
        foreach (var thread in threads)
            thread.Start();
        await using var recording = await RuntimeRecording.StartAsync([Environment.ProcessId]);
        var from = Stopwatch.GetTimestamp();
        await Task.Delay(Length, TestContext.Current.CancellationToken);
        var to = Stopwatch.GetTimestamp();
        await recording.StopAsync();
        await stop.CancelAsync();

        var samples = new List<StackSample>();
        await foreach (var sample in recording.ReadAsync())
            samples.Add(sample);
        string NameOf(string method) => $"IpcBench.Client.Tests!{typeof(RuntimeRecordingTests).FullName}.{method}";
        var working = samples.Where(sample => sample.Stack.Any(frame => frame.Text == NameOf(nameof(Work)))).ToList();
        var inside = working.Count(sample => sample.Timestamp >= from && sample.Timestamp < to);
        // A runtime looks once in a millisecond; on a busy machine less often.
        Assert.InRange(inside, 20, Length.TotalMilliseconds * 1.1);
        Assert.Equal(Environment.ProcessId, working[0].Process);
        Assert.DoesNotContain(samples, sample => sample.Stack.Any(frame => frame.Text == NameOf(nameof(Wait))));
        Assert.Equal("handler", Stage.Classify(working[0].Thread, working[0].Stack, true).Name);
    }

    [Fact]
    public async Task A_trace_without_an_end_has_no_events_and_other_bytes_are_refused()
    {
        await using var stream = (await DiagnosticsPort.TraceAsync(
            new RuntimeFolder(Environment.ProcessId).Port!, "Microsoft-DotNETCore-SampleProfiler"))!.Stream;
        var bytes = new byte[4096];
        await stream.ReadExactlyAsync(bytes, TestContext.Current.CancellationToken);
        for (var length = "Nettrace!".Length; length < bytes.Length; length++)
            Assert.Empty(NettraceReader.Read(bytes.AsMemory(0, length)));
        bytes[0]++;
        Assert.Throws<InvalidDataException>(() => NettraceReader.Read(bytes));
    }

    [Fact]
    public async Task A_process_without_a_diagnostics_port_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        using var other = Process.Start(new ProcessStartInfo("sleep", ["60"]))!;
        try
        {
            await Assert.ThrowsAsync<IOException>(() => RuntimeRecording.StartAsync([other.Id]));
        }
        finally
        {
            other.Kill();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static void Work(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Wait(CancellationToken stop) => stop.WaitHandle.WaitOne();
}
