using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace IpcBench.Server.Faults;

/// <summary>What one endpoint does wrong on purpose, so that tests can prove that the measuring notices.</summary>
/// <param name="spinUs">Microseconds of CPU burnt per call.</param>
/// <param name="delayUs">Microseconds that each reply is held back.</param>
/// <param name="answer">What is wrong with the reply.</param>
internal sealed class Fault(long spinUs, long delayUs, WrongAnswer answer)
{
    private readonly DelayLine delays = new();

    /// <summary>Nothing is done wrong.</summary>
    public static Fault None { get; } = new(0, 0, WrongAnswer.None);

    /// <summary>A call ends with an error although its whole reply has come.</summary>
    public bool EndsWithError => answer == WrongAnswer.Status;

    /// <summary>How many payload bytes a call gets that asks for so many.</summary>
    public int SizeFor(int asked) => answer == WrongAnswer.Short && asked > 0 ? asked - 1 : asked;

    /// <summary>Makes a call as slow as it is to be.</summary>
    public ValueTask HoldAsync()
    {
        if (spinUs > 0)
            DelayLine.Spin(spinUs);
        return delayUs > 0 ? new ValueTask(delays.WaitAsync(delayUs)) : ValueTask.CompletedTask;
    }
}

/// <summary>A wrong answer given on purpose.</summary>
internal enum WrongAnswer
{
    None,

    /// <summary>One payload byte fewer than asked for, well framed.</summary>
    Short,

    /// <summary>The whole payload, then INTERNAL in the trailers.</summary>
    Status,
}

/// <summary>
/// Holds calls back for a number of microseconds, finer than timers can; burns a thread's time while any call waits, so for tests only.
/// </summary>
internal sealed class DelayLine
{
    private readonly BlockingCollection<(long Due, TaskCompletionSource Done)> waiting = [];
    private readonly Lazy<Thread> thread;

    public DelayLine() => this.thread = new Lazy<Thread>(Start);

    /// <summary>
    /// Completes after <paramref name="microseconds"/>. Every caller must ask for the same time, for the line is first in, first out.
    /// </summary>
    public Task WaitAsync(long microseconds)
    {
        _ = this.thread.Value;
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        waiting.Add((Stopwatch.GetTimestamp() + (microseconds * Stopwatch.Frequency / 1_000_000), done));
        return done.Task;
    }

    /// <summary>Keeps this thread busy for <paramref name="microseconds"/>.</summary>
    public static void Spin(long microseconds)
    {
        var until = Stopwatch.GetTimestamp() + (microseconds * Stopwatch.Frequency / 1_000_000);
        while (Stopwatch.GetTimestamp() < until)
            Thread.SpinWait(10);
    }

    private Thread Start()
    {
        var thread = new Thread(Run) { IsBackground = true, Name = "delay line" };
        thread.Start();
        return thread;
    }

    private void Run()
    {
        foreach (var (due, done) in waiting.GetConsumingEnumerable())
        {
            while (Stopwatch.GetTimestamp() < due)
                Thread.Yield();
            done.SetResult();
        }
    }
}

/// <summary>
/// The test knobs as given: <c>VALUE</c> for every endpoint or <c>INDEX=VALUE</c> for one, counted from 0, every <c>--listen</c> before
/// every <c>--echo</c>.
/// </summary>
internal sealed record FaultOptions
{
    /// <summary>Microseconds of CPU burnt per call.</summary>
    public IReadOnlyList<string> SpinUs { get; init; } = [];

    /// <summary>Microseconds that each reply is held back.</summary>
    public IReadOnlyList<string> DelayUs { get; init; } = [];

    /// <summary>The <see cref="WrongAnswer"/> of each reply.</summary>
    public IReadOnlyList<string> Answers { get; init; } = [];

    /// <summary>What holds for the endpoint of this index.</summary>
    /// <exception cref="FormatException">A value is none; the message names it.</exception>
    public Fault For(int endpoint)
    {
        var (spin, delay) = (Microseconds(Pick(SpinUs, endpoint)), Microseconds(Pick(DelayUs, endpoint)));
        var answer = ParseAnswer(Pick(Answers, endpoint));
        return (spin, delay, answer) == (0, 0, WrongAnswer.None) ? Fault.None : new Fault(spin, delay, answer);
    }

    private static string? Pick(IReadOnlyList<string> values, int endpoint)
    {
        var own = endpoint.ToString(CultureInfo.InvariantCulture) + "=";
        return values.LastOrDefault(value => value.StartsWith(own, StringComparison.Ordinal))?[own.Length..]
            ?? values.LastOrDefault(value => !value.Contains('=', StringComparison.Ordinal));
    }

    private static long Microseconds(string? value)
    {
        if (value is null)
            return 0;
        const long oneMinute = 60_000_000;
        return long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var us) && us <= oneMinute
            ? us
            : throw new FormatException($"'{value}' is no number of microseconds: write 200 or 1=200");
    }

    private static WrongAnswer ParseAnswer(string? value) => value switch
    {
        null => WrongAnswer.None,
        "short" => WrongAnswer.Short,
        "status" => WrongAnswer.Status,
        _ => throw new FormatException($"'{value}' is no fault: write short or status"),
    };
}
