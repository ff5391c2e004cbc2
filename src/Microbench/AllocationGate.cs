using System.Globalization;
using System.Reflection;
using System.Text.Json;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace IpcBench.Microbench;

/// <summary>
/// Measures the allocated bytes per operation. The bytes must be equal to the bytes in a committed baseline. Times are ignored.
/// </summary>
internal static class AllocationGate
{
    private const int GateExit = 4;
    private static readonly JsonSerializerOptions Indented = new() { WriteIndented = true, IndentSize = 1, NewLine = "\n" };

    /// <summary>The committed baseline. The path is relative to the repository's folder.</summary>
    public const string DefaultBaseline = "src/Microbench/allocations.json";

    /// <summary>
    /// Returns 0 when the gated benchmarks and their allocated bytes are those of the baseline. Returns 4 when a benchmark
    /// differs, is new or is missing. Returns 2 when there is no baseline or the measurement failed.
    /// </summary>
    public static int Run(string baselineFile, TextWriter output)
    {
        if (!File.Exists(baselineFile))
        {
            output.WriteLine(
                $"there is no baseline {baselineFile}: run this in the repository's folder, or create it with: record {baselineFile}");
            return 2;
        }
        var baseline = JsonSerializer.Deserialize<SortedDictionary<string, long>>(File.ReadAllText(baselineFile))!;
        if (Measure() is not { } measured)
            return 2;
        var differences = Compare(baseline, measured);
        foreach (var difference in differences)
            output.WriteLine(difference);
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"allocations: {measured.Count} benchmarks, {differences.Count} differ from {baselineFile}"));
        return differences.Count == 0 ? 0 : GateExit;
    }

    /// <summary>Measures and writes a new baseline. Returns 0, or 2 when the measurement failed.</summary>
    public static int Record(string baselineFile, TextWriter output)
    {
        if (Measure() is not { } measured)
            return 2;
        File.WriteAllText(baselineFile, JsonSerializer.Serialize(measured, Indented) + "\n");
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{measured.Count} benchmarks written to {baselineFile}"));
        return 0;
    }

    /// <summary>Returns one line for each benchmark that differs from the baseline, is new, or was not measured.</summary>
    internal static IReadOnlyList<string> Compare(IReadOnlyDictionary<string, long> baseline, IReadOnlyDictionary<string, long> measured) =>
    [
        .. measured.Where(now => baseline.TryGetValue(now.Key, out var before) && before != now.Value)
            .Select(now => string.Create(
                CultureInfo.InvariantCulture, $"{now.Key}: {now.Value} B per operation, the baseline says {baseline[now.Key]} B")),
        .. measured.Keys.Except(baseline.Keys).Select(name => $"{name}: not in the baseline"),
        .. baseline.Keys.Except(measured.Keys).Select(name => $"{name}: in the baseline, not measured"),
    ];

    private static SortedDictionary<string, long>? Measure()
    {
        var config = Config();
        var summaries = typeof(AllocationGate).Assembly.GetTypes()
            .Where(type => type.GetCustomAttribute<GatedAttribute>() is not null)
            .Select(type => BenchmarkRunner.Run(type, config))
            .ToList();
        var reports = summaries.SelectMany(summary => summary.Reports).ToList();
        if (reports.Count == 0 || reports.Any(report => !report.Success) || summaries.Any(summary => summary.HasCriticalValidationErrors))
            return null;
        return new(
            reports.ToDictionary(Name, report => report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase) ?? 0),
            StringComparer.Ordinal);
    }

    private static string Name(BenchmarkReport report)
    {
        var benchmark = report.BenchmarkCase;
        var parameters = benchmark.Parameters.Count == 0 ? "" : "(" + string.Join(", ", benchmark.Parameters.Items.Select(item =>
            string.Create(CultureInfo.InvariantCulture, $"{item.Name}: {item.Value}"))) + ")";
        return $"{benchmark.Descriptor.Type.Name}.{benchmark.Descriptor.WorkloadMethod.Name}{parameters}";
    }

    // The number of operations is fixed. So memory that is allocated only once is divided by the same number in every run.
    private static ManualConfig Config() => ManualConfig.CreateEmpty()
        .AddJob(Job.Dry.WithToolchain(InProcessEmitToolchain.Instance).WithWarmupCount(1).WithIterationCount(1)
            .WithInvocationCount(1 << 14).WithUnrollFactor(16).WithStrategy(BenchmarkDotNet.Engines.RunStrategy.Throughput))
        .AddDiagnoser(MemoryDiagnoser.Default)
        .AddLogger(NullLogger.Instance)
        .WithOptions(ConfigOptions.DisableOptimizationsValidator | ConfigOptions.DisableLogFile);
}

/// <summary>
/// Marks benchmarks whose allocated bytes are exact, because no other code runs at the same time. The gate checks no other benchmarks.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class GatedAttribute : Attribute;
