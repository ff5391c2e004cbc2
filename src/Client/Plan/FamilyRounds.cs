using IpcBench.Client.Protocols;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// Finds the fewest rounds with which a winner can be named among all comparisons of a plan. A default must never
/// plan a run that cannot give a verdict.
/// </summary>
internal static class FamilyRounds
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(100);

    /// <summary>Returns the options with as many rounds as necessary in the same total time, so that windows become shorter.</summary>
    /// <param name="options">The options with the defaults of the command.</param>
    /// <param name="keepDuration">True when the length of a window was given.</param>
    public static RunOptions Fit(RunOptions options, bool keepDuration)
    {
        var needed = Needed(options);
        if (options.RoundsAuto || options.Rounds >= needed)
            return options;
        var shorter = options.Duration * options.Rounds / needed;
        var steps = Math.Max(1, Math.Ceiling(shorter / Step - 1e-9));
        return options with { Rounds = needed, Duration = keepDuration ? options.Duration : steps * Step };
    }

    /// <summary>Computes the rounds that these options need, before any server is started. Returns 1 without a comparison.</summary>
    public static int Needed(RunOptions options) =>
        new BenchPlan(options with { Reference = null }, [.. Targets(options)]).FewestRounds;

    private static IEnumerable<Target> Targets(RunOptions options)
    {
        if (options.Http.Count > 0)
            return options.Http.Select(arm => new Target(arm.Address, options.Variants[0], arm.Name, "", ProtocolTable.Http1, arm.Request));
        var addresses = options.OwnServer ? options.Transports.Select(kind => Address.Own[kind]("x")) : options.Addresses;
        return from variant in options.Variants
               from address in addresses.GroupBy(address => address.Kind).SelectMany(kind => kind.Index())
               from protocol in options.Protocols
               select new Target(address.Item, variant, address.Index == 0 ? "" : $"#{address.Index + 1}", "", protocol);
    }
}
