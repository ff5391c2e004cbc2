using System.Globalization;

namespace IpcBench.Analysis.Results;

/// <summary>One term of a <see cref="LatencyObjective"/>.</summary>
/// <param name="Name">One of <see cref="Names"/>.</param>
/// <param name="Limit">The limit in ns. For failures, the limit as a share of all calls.</param>
public sealed record ObjectiveTerm(string Name, double Limit)
{
    public const string Failures = "failures";
    private const string MeanName = "mean";

    /// <summary>The quantities that an objective may limit.</summary>
    public static IReadOnlyList<string> Names { get; } = ["p50", "p90", "p95", "p99", "p99.9", MeanName, Failures];

    public bool IsOfFailures => Name == Failures;

    public bool IsOfMean => Name == MeanName;

    /// <summary>The percentile as a share: 0.99 for p99. Null when the term is not a percentile.</summary>
    public double? Quantile => Name[0] == 'p' ? double.Parse(Name[1..], CultureInfo.InvariantCulture) / 100 : null;

    /// <summary>
    /// The largest mean per call that meets the term. For p99, this is 0.01, the share of calls that may be slower than
    /// <see cref="Limit"/>. For the mean latency, this is the limit in ns. For failures, this is the share of calls that may
    /// fail.
    /// </summary>
    public double Allowed => Quantile is { } quantile ? 1 - quantile : Limit;
}
