namespace IpcBench.Client.Plan;

/// <summary>
/// The arm that ratios refer to, and the endpoint that <c>--aa</c> measures twice: as requested, else TCP, else the first.
/// </summary>
internal static class ReferenceArm
{
    /// <summary>The default reference.</summary>
    public const string Usual = "tcp";

    /// <summary>The plan's reference, by its name in results files: an arm or a transport.</summary>
    /// <exception cref="UsageException">The requested reference is not measured.</exception>
    public static string Choose(RunOptions options, BenchPlan plan)
    {
        var keys = plan.Cells.Select(cell => cell.Record.Key).ToList();
        var arms = keys.Select(key => key.Arm).Concat(keys.Select(key => key.Transport)).Distinct().ToList();
        if (options.Reference is not { } asked)
            return arms.Contains(Usual) ? Usual : arms[0];
        if (plan.Cells.FirstOrDefault(cell => cell.Target.Mark == asked) is { } named)
            return named.Record.Key.Arm;
        return arms.Contains(asked)
            ? asked
            : throw new UsageException($"--reference '{asked}' is not measured: choose one of {string.Join(", ", arms)}");
    }

    /// <summary>The transport of which an own server offers two endpoints for <c>--aa</c>.</summary>
    public static string OfTransports(RunOptions options) =>
        options.Reference is { } named && options.Transports.Contains(named) ? named
        : options.Transports.Contains(Usual) ? Usual : options.Transports[0];

    /// <summary>With given servers, <c>--aa</c> needs two addresses of one kind: returns this kind.</summary>
    public static string OfAddresses(RunOptions options) => options.Addresses
        .GroupBy(address => address.Kind)
        .OrderByDescending(kind => kind.Key == (options.Reference ?? Usual))
        .First(kind => kind.Count() > 1).Key;
}
