namespace IpcBench.Analysis.Results;

/// <summary>Checks that the profile in a file is possible. <see cref="ResultsCheck"/> checks the other parts of the file.</summary>
internal static class ProfileCheck
{
    /// <summary>The largest possible count. The sum of 8 million such counts fits into a long.</summary>
    private const long Largest = 1L << 40;

    /// <summary>Finds a fault, as a clause. Null when there is no fault.</summary>
    public static string? Fault(RunProfile? profile, int cells)
    {
        if (profile is null)
            return null;
        if (profile.Frames.Contains(null!) || profile.Cells.Any(cell => cell is null || cell.Stacks.Contains(null!)
            || cell.Windows.Any(window => window is null)))
            return "a list of the profile holds null";
        if (profile.Cells.Any(cell => cell.Cell < 0 || cell.Cell >= cells)
            || profile.Cells.GroupBy(cell => cell.Cell).Any(same => same.Count() > 1))
            return "a profile is about a cell that does not exist, or is there twice";
        return profile.Cells.All(cell => IsPossible(cell) && AreStacks(cell.Stacks, profile.Frames.Count)) ? null
            : "a profile has impossible numbers or stacks";
    }

    private static bool IsPossible(CellProfile cell) =>
        cell.Unnamed is >= 0 and <= Largest
        && cell.Windows.Select(window => window.Number).Distinct().Count() == cell.Windows.Count
        && cell.Windows.All(window => window is { Number: > 0, ServerCpuNs: >= 0 and <= Largest, Calls: > 0 and <= Largest }
            && window.Samples.Values.All(samples => samples is >= 0 and <= Largest) && window.Samples.Values.Any(samples => samples > 0));

    private static bool AreStacks(IReadOnlyList<string> stacks, int names)
    {
        try
        {
            return FoldedStacks.Decode(stacks, names).All(stack => stack.Samples is > 0 and <= Largest);
        }
        catch (FormatException)
        {
            return false;
        }
    }
}
