namespace IpcBench.Client.Plan;

/// <summary>What ratios refer to, and which endpoint <c>--aa</c> measures twice: what was asked for, else TCP, else the first.</summary>
internal static class ReferenceArm
{
    /// <summary>The transport that ratios refer to when nothing else is asked for.</summary>
    public const string Usual = "tcp";

    /// <summary>The arm or transport that the plan's ratios refer to, as results files name it.</summary>
    /// <exception cref="UsageException">What was asked for is not measured.</exception>
    public static string Of(RunOptions options, BenchPlan plan)
    {
        var keys = plan.Cells.Select(cell => cell.Record.Key).ToList();
        var arms = keys.Select(key => key.Arm).Concat(keys.Select(key => key.Transport)).Distinct().ToList();
        if (options.Reference is not { } asked)
            return arms.Contains(Usual) ? Usual : arms[0];
        if (plan.Cells.FirstOrDefault(cell => cell.Target.Mark == asked) is { } named)
            return named.Record.Key.Arm;
        return arms.Contains(asked)
            ? asked
            : throw new UsageException($"--reference '{asked}' is not measured: it is one of {string.Join(", ", arms)}");
    }

    /// <summary>The transport of which an own server offers two endpoints for <c>--aa</c>.</summary>
    public static string OfTransports(RunOptions options) =>
        options.Reference is { } named && options.Transports.Contains(named) ? named
        : options.Transports.Contains(Usual) ? Usual : options.Transports[0];

    /// <summary>With somebody's own servers <c>--aa</c> is asked for as two addresses of one kind: which.</summary>
    public static string OfAddresses(RunOptions options) => options.Addresses
        .GroupBy(address => address.Kind)
        .OrderByDescending(kind => kind.Key == (options.Reference ?? Usual))
        .First(kind => kind.Count() > 1).Key;
}
