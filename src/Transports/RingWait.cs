using System.Globalization;

namespace IpcBench.Transports;

/// <summary>What an end of shared memory sleeps on until the other end wakes it.</summary>
public enum RingBell
{
    /// <summary>futex(2) on a word of the shared memory. Linux only.</summary>
    Futex,

    /// <summary>eventfd(2). Linux only.</summary>
    EventFd,

    /// <summary>A named event. Windows only.</summary>
    Event,
}

/// <summary>How an end of shared memory waits for the other end.</summary>
/// <param name="Text">The way as <c>--wait</c> takes it.</param>
/// <param name="SpinNs">How long the end looks at the memory before it sleeps, in ns. <see cref="long.MaxValue"/>: it never sleeps.</param>
/// <param name="Bell">What the end sleeps on.</param>
public sealed record RingWait(string Text, long SpinNs, RingBell Bell)
{
    private const string Spin = "spin", SpinFor = "spin=", Unit = "us";
    private const int LongestSpinUs = 1_000_000;

    /// <summary>The ways of this system. Each time may follow <c>spin=</c>. Empty for a system without shared memory here.</summary>
    public static IReadOnlyList<string> Values { get; } =
        OperatingSystem.IsLinux() ? [Spin, "spin=20us", "futex", "eventfd"]
        : OperatingSystem.IsWindows() ? [Spin, "spin=20us", "event"] : [];

    /// <summary>The ways that are measured when none was chosen: one that sleeps, and one that keeps a CPU busy.</summary>
    public static string Usual => OperatingSystem.IsWindows() ? "event,spin" : "futex,spin";

    /// <summary>The way of a connection for which none was chosen.</summary>
    public static RingWait Default { get; } = new(OperatingSystem.IsWindows() ? "event" : "futex", 0, Sleeping);

    /// <summary>Whether the end never sleeps, so that it keeps a CPU busy as long as the connection is open.</summary>
    public bool IsEndless => SpinNs == long.MaxValue;

    private static RingBell Sleeping => OperatingSystem.IsWindows() ? RingBell.Event : RingBell.Futex;

    /// <summary>Finds the way of a text. Null when this system has no such way.</summary>
    public static RingWait? Find(string text) => text switch
    {
        Spin => new(text, long.MaxValue, Sleeping),
        "futex" when OperatingSystem.IsLinux() => new(text, 0, RingBell.Futex),
        "eventfd" when OperatingSystem.IsLinux() => new(text, 0, RingBell.EventFd),
        "event" when OperatingSystem.IsWindows() => new(text, 0, RingBell.Event),
        _ when text.StartsWith(SpinFor, StringComparison.Ordinal) && text.EndsWith(Unit, StringComparison.Ordinal)
            && int.TryParse(text[SpinFor.Length..^Unit.Length], NumberStyles.None, CultureInfo.InvariantCulture, out var time)
            && time is >= 1 and <= LongestSpinUs => new(text, time * 1000L, Sleeping),
        _ => null,
    };
}
