using System.Globalization;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Results;

/// <summary>Writes and reads stacks and their numbers of samples in the form of results files (<see cref="CellProfile.Stacks"/>).</summary>
public static class FoldedStacks
{
    /// <summary>The most frequent stacks are kept, until they have this share of all samples.</summary>
    private const double Kept = 0.95;

    /// <summary>The largest estimated size of the kept stacks of a cell, in characters.</summary>
    private const int MostCharacters = 20_000;

    /// <summary>Chooses the stacks that a file keeps, and writes them.</summary>
    /// <param name="stacks">Stacks of frames, the outermost first, and their samples.</param>
    /// <param name="frames">The names of the frames of earlier cells. New names are added to this list.</param>
    public static IReadOnlyList<string> Encode(IReadOnlyDictionary<string[], long> stacks, List<string> frames)
    {
        var numbers = frames.Index().ToDictionary(frame => frame.Item, frame => frame.Index);
        var (all, taken, size) = (stacks.Values.Sum(), 0L, 0);
        var chosen = new List<(string[] Frames, long Samples)>();
        foreach (var (stack, samples) in stacks.OrderByDescending(one => one.Value).ThenBy(one => Key(one.Key), StringComparer.Ordinal))
        {
            // Estimates the length of the line. Few lines are longer, since a stack shares most frames with the previous stack.
            size += 4 * Math.Min(stack.Length, 12);
            if (taken >= Kept * all || size > MostCharacters)
                break;
            chosen.Add((stack, samples));
            taken += samples;
        }
        var lines = new List<string>();
        string[] before = [];
        foreach (var (stack, samples) in chosen.OrderBy(one => Key(one.Frames), StringComparer.Ordinal))
        {
            var shared = before.Zip(stack).TakeWhile(pair => pair.First == pair.Second).Count();
            var rest = string.Concat(stack.Skip(shared).Select(frame => Invariant($" {Number(frame)}")));
            lines.Add(Invariant($"{shared}:{rest} = {samples}"));
            before = stack;
        }
        return lines;

        int Number(string frame)
        {
            if (!numbers.TryGetValue(frame, out var number))
            {
                numbers[frame] = number = frames.Count;
                frames.Add(frame);
            }
            return number;
        }
    }

    /// <summary>Reads the stacks of a cell: the indexes of the frames, the outermost first, and the number of samples.</summary>
    /// <param name="names">The number of names in <see cref="RunProfile.Frames"/>.</param>
    /// <exception cref="FormatException">A line is not a stack.</exception>
    public static IEnumerable<(int[] Frames, long Samples)> Decode(IEnumerable<string> lines, int names)
    {
        int[] before = [];
        foreach (var line in lines)
        {
            var words = line.Split(' ');
            if (words is not [[.. var shared, ':'], .., "=", var samples]
                || !int.TryParse(shared, NumberStyles.None, CultureInfo.InvariantCulture, out var kept) || kept > before.Length
                || !long.TryParse(samples, NumberStyles.None, CultureInfo.InvariantCulture, out var count))
                throw new FormatException($"'{line}' is not a stack");
            var rest = new List<int>();
            foreach (var word in words[1..^2])
            {
                if (!int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out var number) || number >= names)
                    throw new FormatException($"'{line}' names a frame that does not exist");
                rest.Add(number);
            }
            before = [.. before[..kept], .. rest];
            yield return (before, count);
        }
    }

    private static string Key(string[] stack) => string.Join('\n', stack);
}
