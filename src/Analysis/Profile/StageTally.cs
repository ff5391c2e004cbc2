using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Profile;

/// <summary>Counts the samples of a cell by window, stage and stack.</summary>
public sealed class StageTally
{
    private readonly List<ProfileWindow> windows = [];
    private readonly Dictionary<string, (string[] Frames, long Samples)> stacks = [];
    private readonly List<string[]> present = [];
    private SortedDictionary<string, long> samples = new(StringComparer.Ordinal);
    private long unnamed, presentUnnamed;

    /// <summary>Adds a sample to the window in progress.</summary>
    /// <param name="stack">The frames, the innermost first.</param>
    /// <inheritdoc cref="Stage.Classify" path="/param"/>
    public void Add(string thread, IReadOnlyList<StackFrame> stack, bool isDotnet)
    {
        var stage = Stage.Classify(thread, stack, isDotnet).Name;
        samples[stage] = samples.GetValueOrDefault(stage) + 1;
        var inner = stack.FirstOrDefault(frame => frame.Kind == FrameKind.Managed);
        if (inner.Function == StackFrame.NoName)
            presentUnnamed++;
        present.Add([Plain(thread), .. Shown(stack)]);
    }

    /// <summary>Ends the window in progress. A window without calls or without samples is left out.</summary>
    public void EndWindow(int number, double calls, long serverCpuNs)
    {
        if (calls > 0 && samples.Count > 0)
        {
            windows.Add(new() { Number = number, Calls = calls, ServerCpuNs = serverCpuNs, Samples = samples });
            unnamed += presentUnnamed;
            foreach (var frames in present)
            {
                var key = string.Join('\n', frames);
                stacks[key] = (frames, stacks.GetValueOrDefault(key).Samples + 1);
            }
        }
        present.Clear();
        (samples, presentUnnamed) = (new(StringComparer.Ordinal), 0);
    }

    /// <summary>Makes the cell's part of the results file.</summary>
    /// <param name="frames">The names of frames of all cells so far, to which new names are added.</param>
    public CellProfile Record(int cell, List<string> frames) => new()
    {
        Cell = cell,
        Refused = windows.Count == 0 ? "no sample was taken" : "",
        Windows = windows,
        Unnamed = unnamed,
        Stacks = FoldedStacks.Encode(stacks.Values.ToDictionary(one => one.Frames, one => one.Samples), frames),
    };

    /// <summary>
    /// Lists the frames, the outermost first. Functions without a name that follow each other in one module are one frame.
    /// </summary>
    private static IEnumerable<string> Shown(IReadOnlyList<StackFrame> stack)
    {
        var before = default(StackFrame);
        foreach (var frame in stack.Reverse())
        {
            if (frame != before || frame.Function != StackFrame.NoName)
                yield return Short(frame);
            before = frame;
        }
    }

    /// <summary>
    /// Returns the text of the frame without the namespace of its type, because the name of the assembly is nearly the same.
    /// </summary>
    private static string Short(StackFrame frame)
    {
        if (frame.Kind != FrameKind.Managed || frame.Function.Split('.') is not { Length: > 2 } parts)
            return frame.Text;
        return $"{frame.Module}!{parts[^2]}.{parts[^1]}";
    }

    // Threads of the same kind, such as the workers of Node and nginx, have names that differ only in a number.
    private static string Plain(string thread) =>
        thread.TrimEnd("0123456789-/:#".ToCharArray()) is { Length: > 0 } plain ? plain : thread;
}
