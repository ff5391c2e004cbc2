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
