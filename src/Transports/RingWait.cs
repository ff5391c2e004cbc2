using System.Globalization;

namespace IpcBench.Transports;

/// <summary>The mechanism with which one end of shared memory sleeps until the other end wakes it.</summary>
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
/// <param name="Text">The way of waiting, written as a value of <c>--wait</c>.</param>
/// <param name="SpinNs">
/// How long the end spins before it sleeps, in ns. While it spins, it reads the memory again and again. With
/// <see cref="long.MaxValue"/> the end never sleeps.
/// </param>
/// <param name="Bell">The mechanism with which the end sleeps.</param>
public sealed record RingWait(string Text, long SpinNs, RingBell Bell)
{
    private const string Spin = "spin", SpinFor = "spin=", Unit = "us";
    private const int LongestSpinUs = 1_000_000;

    /// <summary>
    /// The values of <c>--wait</c> on this system. The time in <c>spin=20us</c> is an example. Empty on a system on
    /// which this project has no shared memory.
    /// </summary>
    public static IReadOnlyList<string> Values { get; } =
        OperatingSystem.IsLinux() ? [Spin, "spin=20us", "futex", "eventfd"]
        : OperatingSystem.IsWindows() ? [Spin, "spin=20us", "event"] : [];

    /// <summary>
    /// The values that are measured when the user chose no value. With the first value, an end sleeps while it waits. With
    /// the second value, an end keeps a CPU busy.
    /// </summary>
    public static string Usual => OperatingSystem.IsWindows() ? "event,spin" : "futex,spin";

    /// <summary>How the ends of a connection wait when the user chose no way.</summary>
    public static RingWait Default { get; } = new(OperatingSystem.IsWindows() ? "event" : "futex", 0, Sleeping);

    /// <summary>Whether the end never sleeps, so that it keeps a CPU busy as long as the connection is open.</summary>
    public bool IsEndless => SpinNs == long.MaxValue;

    private static RingBell Sleeping => OperatingSystem.IsWindows() ? RingBell.Event : RingBell.Futex;

    /// <summary>
    /// Finds the way of waiting for a value of <c>--wait</c>. Null when this system has no such value.
    /// </summary>
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
