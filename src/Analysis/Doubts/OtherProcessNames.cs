using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Doubts;

/// <summary>Names the other processes that used a machine most, in brackets after a sentence about them.</summary>
public static class OtherProcessNames
{
    // A share of less than half of this would be printed as 0.0 %.
    private const double LeastShare = 0.001;

    /// <summary>Returns for example <c> (make 12 %, another GrpcBench 3.1 %)</c>. Empty when no process used at least 0.1 %.</summary>
    public static string List(MachineUsage machine)
    {
        var names = from process in machine.Busiest
                    let share = process.CpuNs / (double)machine.CapacityNs
                    where share >= LeastShare
                    let another = process.Name.StartsWith("GrpcBench", StringComparison.Ordinal) ? "another " : ""
                    select $"{another}{process.Name} {Quantity.Percent(share)}";
        return string.Join(", ", names) is { Length: > 0 } all ? $" ({all})" : "";
    }
}
