namespace IpcBench.Client.Plan;

/// <summary>
/// Chooses the arm that ratios refer to: the requested arm, else TCP, else the first arm whose name is a transport alone, else the
/// first arm. Also chooses the endpoint that <c>--aa</c> measures twice.
/// </summary>
internal static class ReferenceArm
{
    /// <summary>The default reference.</summary>
    public const string Usual = "tcp";

    /// <summary>Returns the reference of the plan: the name of an arm or of a transport, spelled as in results files.</summary>
    /// <exception cref="UsageException">The requested reference is not measured.</exception>
    public static string Choose(RunOptions options, BenchPlan plan)
    {
        var keys = plan.Cells.Select(cell => cell.Record.Key).ToList();
        var arms = keys.Select(key => key.Arm).Concat(keys.Select(key => key.Transport)).Distinct().ToList();
        if (options.Reference is not { } asked)
            return arms.Contains(Usual) ? Usual : keys.Find(key => key.Arm == key.Transport)?.Transport ?? arms[0];
        if (plan.Cells.FirstOrDefault(cell => cell.Target.Mark == asked) is { } named)
            return named.Record.Key.Arm;
        return arms.Contains(asked)
            ? asked
            : throw new UsageException($"--reference '{asked}' is not an arm of this run: write one of {string.Join(", ", arms)}");
    }

    /// <summary>Returns the transport for <c>--aa</c>. This tool's server then has two endpoints of this transport.</summary>
    public static string OfTransports(RunOptions options) =>
        options.Reference is { } named && options.Transports.Contains(named) ? named
        : options.Transports.Contains(Usual) ? Usual : options.Transports[0];

    /// <summary>Returns the kind of address that <c>--aa</c> with <c>-U</c> compares: a kind that at least two addresses have.</summary>
    public static string OfAddresses(RunOptions options) => options.Addresses
        .GroupBy(address => address.Kind)
        .OrderByDescending(kind => kind.Key == (options.Reference ?? Usual))
        .First(kind => kind.Count() > 1).Key;
}
