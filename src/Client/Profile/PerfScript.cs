using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>Reads the output of <c>perf script</c>, one sample after the other.</summary>
/// <param name="codeOf">Returns the names of the methods that a process compiled while it ran. Null when there are no names.</param>
internal sealed partial class PerfScript(Func<int, CodeMap?> codeOf)
{
    private const ulong FirstKernelAddress = 0xffff_0000_0000_0000;

    /// <summary>The fields of <c>perf script -F</c> that are read here.</summary>
    public const string Fields = "comm,pid,tid,time,ip,sym,dso";

    private readonly Dictionary<(int Process, string Line), StackFrame> known = [];

    /// <summary>
    /// Reads samples. A sample is a line with thread, process and time, then a line for each frame, the innermost first, then an
    /// empty line. The first line may also hold a frame. All other lines are skipped.
    /// </summary>
    public async IAsyncEnumerable<StackSample> ReadAsync(TextReader text)
    {
        Match? head = null;
        var frames = new List<StackFrame>();
        string? line;
        do
        {
            line = await text.ReadLineAsync();
            if (string.IsNullOrWhiteSpace(line))
            {
                if (head is not null && frames.Count > 0)
                    yield return Sample(head, frames);
                (head, frames) = (null, []);
            }
            else if (head is null)
            {
                head = Head().Match(line) is { Success: true } found ? found : null;
                line = head?.Groups[5].Value;
                if (!string.IsNullOrEmpty(line) && FrameOf(ProcessOf(head!), line) is { } only)
                    frames.Add(only);
                line = "";
            }
            else if (FrameOf(ProcessOf(head), line) is { } frame)
            {
                frames.Add(frame);
            }
        }
        while (line is not null);
    }

    private static StackSample Sample(Match head, IReadOnlyList<StackFrame> frames) => new(head.Groups[1].Value, ProcessOf(head),
        long.Parse(head.Groups[3].Value, CultureInfo.InvariantCulture) * 1_000_000_000
            + long.Parse(head.Groups[4].Value.PadRight(9, '0')[..9], CultureInfo.InvariantCulture), frames);

    private static int ProcessOf(Match head) => int.Parse(head.Groups[2].Value, CultureInfo.InvariantCulture);

    /// <summary>Reads a frame. Null when the line is not a frame.</summary>
    private StackFrame? FrameOf(int process, string line)
    {
        if (known.TryGetValue((process, line), out var frame))
            return frame;
        if (Frame().Match(line) is not { Success: true } found
            || !ulong.TryParse(found.Groups[1].Value, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var address))
            return null;
        return known[(process, line)] = FrameOf(process, address, found.Groups[2].Value, found.Groups[3].Value);
    }

    private StackFrame FrameOf(int process, ulong address, string symbol, string file)
    {
        var name = symbol == "[unknown]" ? StackFrame.NoName : symbol;
        if (address >= FirstKernelAddress)
            return StackFrame.Kernel(name);
        // Without W^X, perf itself reads the map of the process, and prints the map's path as the file of the frame.
        if (CodeMap.IsMap(file) && symbol != "[unknown]")
            return CodeMap.FrameOf(symbol);
        if (CodeMap.IsMap(file) || CodeMap.IsCompiled(file))
        {
            return codeOf(process)?.Find(address, CodeMap.IsDoublyMapped(file))
                ?? new(FrameKind.Native, "compiled code", StackFrame.NoName);
        }
        var module = Path.GetFileName(file);
        return module.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? new(FrameKind.Managed, module[..^4], name)
            : new(FrameKind.Native, module, name);
    }

    [GeneratedRegex(@"^\s*(.*?)\s+(\d+)/\d+\s+(\d+)\.(\d+):\s*(.*)$")]
    private static partial Regex Head();

    // The file begins with a slash or a bracket, or is "anon". A C++ symbol may contain brackets and blanks too.
    [GeneratedRegex(@"^\s*([0-9a-f]+) (.*?) \(([/\[a].*?)(?: \(deleted\))?\)$")]
    private static partial Regex Frame();
}
