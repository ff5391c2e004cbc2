using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>
/// The methods that a .NET process has compiled while it ran, by their addresses. The runtime writes names and addresses to a file for
/// perf(1) (<see cref="DiagnosticsPort"/>). With W^X, which is the default, the code lies in a file in memory that is mapped twice. perf
/// then reports positions in this memory file, and the process's list of mappings turns the positions into addresses.
/// </summary>
internal sealed partial class CodeMap
{
    private readonly List<(ulong From, ulong Length, string Text)> methods = [];
    private readonly List<(ulong Offset, ulong Length, ulong Start)> mappings = [];

    /// <param name="methods">The lines of the map: address, length and method, both numbers as hexadecimal digits.</param>
    /// <param name="mappings">The lines of <c>/proc/PID/maps</c>.</param>
    public CodeMap(IEnumerable<string> methods, IEnumerable<string> mappings)
    {
        foreach (var words in methods.Select(line => line.Split(' ', 3)).Where(words => words.Length == 3))
        {
            var first = words[0].StartsWith("0x", StringComparison.Ordinal) ? words[0][2..] : words[0];
            if (Hex(first) is { } from && Hex(words[1]) is { } length)
                this.methods.Add((from, length, words[2]));
        }
        // If several methods have the same address, the last method counts: the runtime reuses the memory of methods that it has removed.
        this.methods = [.. this.methods.Index().OrderBy(one => one.Item.From).ThenBy(one => one.Index).Select(one => one.Item)];
        foreach (var words in mappings.Where(IsDoublyMapped).Select(line => line.Split(' ')))
        {
            // The first word is START-END, the second has the rights, such as r-xs, the third is the position.
            if (words.Length > 2 && words[1].Contains('x') && words[0].Split('-') is [var from, var to]
                && Hex(from) is { } start && Hex(to) is { } end && Hex(words[2]) is { } offset)
                this.mappings.Add((offset, end - start, start));
        }
    }

    /// <summary>Whether this file is a map of compiled code.</summary>
    public static bool IsMap(string file) =>
        file.EndsWith(".map", StringComparison.Ordinal) && file.Contains("/perf-", StringComparison.Ordinal);

    /// <summary>True when memory for which perf prints this name may hold compiled code.</summary>
    public static bool IsCompiled(string file) => IsDoublyMapped(file) || file is "[anon]" or "//anon" or "anon" or "[unknown]";

    public static bool IsDoublyMapped(string file) => file.Contains("/memfd:doublemapper", StringComparison.Ordinal);

    /// <summary>Finds the method at an address. Null when no method is known there.</summary>
    /// <param name="isPosition">True when perf gave a position in the memory file, which is mapped twice, and not an address.</param>
    public StackFrame? Find(ulong address, bool isPosition)
    {
        if (isPosition)
        {
            var (offset, length, start) = mappings.Find(one => address >= one.Offset && address - one.Offset < one.Length);
            if (length == 0)
                return null;
            address = address - offset + start;
        }
        var low = ~methods.BinarySearch((address, ulong.MaxValue, "")); // never found, so ~ gives the first method after the address
        return low > 0 && address - methods[low - 1].From < methods[low - 1].Length ? FrameOf(methods[low - 1].Text) : null;
    }

    /// <summary>
    /// Reads a method: <c>instance void [Assembly] Namespace.Type`1[Argument]::Method(…)[OptimizedTier1]</c>. Any other text
    /// is a stub of the runtime.
    /// </summary>
    public static StackFrame FrameOf(string method)
    {
        if (Method().Match(method) is not { Success: true } found)
            return new(FrameKind.Native, "stub", method.Split(['<', '(']) is [var first, ..] ? first.Split(' ')[^1] : method);
        return new(FrameKind.Managed, found.Groups[1].Value, $"{WithoutArguments(found.Groups[2].Value)}.{found.Groups[3].Value}");
    }

    /// <summary>Returns the name of a type without its type arguments.</summary>
    public static string WithoutArguments(string type) => Arguments().Replace(type, "");

    private static ulong? Hex(string text) =>
        ulong.TryParse(text, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var number) ? number : null;

    [GeneratedRegex(@"\[([\w.+-]+)\] (\S.*?)::([^(\[]+)")]
    private static partial Regex Method();

    // The number of type arguments and the arguments: `1[System.__Canon].
    [GeneratedRegex(@"`\d+|\[.*\]")]
    private static partial Regex Arguments();
}
