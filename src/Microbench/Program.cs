using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Running;
using IpcBench.Microbench;

// "gate [BASELINE]" compares allocated bytes with the committed baseline, and "record [BASELINE]" writes a new baseline.
// BenchmarkDotNet reads all other arguments.
return args switch
{
    ["gate", .. var rest] => AllocationGate.Run(rest is [var file, ..] ? file : AllocationGate.DefaultBaseline, Console.Out),
    ["record", .. var rest] => AllocationGate.Record(rest is [var file, ..] ? file : AllocationGate.DefaultBaseline, Console.Out),
    _ => RunBenchmarks(args),
};

static int RunBenchmarks(string[] args)
{
    var config = DefaultConfig.Instance.AddDiagnoser(new MemoryDiagnoser(new MemoryDiagnoserConfig(displayGenColumns: false)));
    // The benchmarks run in this process. Otherwise BenchmarkDotNet would generate projects below bin/, and this
    // repository's build rules would break these projects.
    var summaries = BenchmarkSwitcher.FromAssembly(typeof(AllocationGate).Assembly).Run([.. args, "--inProcess"], config);
    var failed = summaries.SelectMany(summary => summary.Reports).Any(report => !report.Success)
        || summaries.Any(summary => summary.HasCriticalValidationErrors);
    return failed ? 1 : 0;
}
