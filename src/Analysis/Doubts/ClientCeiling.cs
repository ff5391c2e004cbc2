using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The calibration, the same client against a responder of almost no cost, is hardly faster than what was measured.</summary>
internal sealed class ClientCeiling() : CellDoubt("client-ceiling", "The client is a good part of this number: compare CPU per call rather than requests/s, or give the client more CPUs.")
{
    private const double Headroom = 1.5;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var key = cell.Key;
        var ceiling = run.Record.Calibrations.FirstOrDefault(c => (c.Transport, c.Size, c.Connections, c.Streams) == (key.Transport, key.Size, key.Connections, key.Streams));
        // A given load does not saturate anything, and a calibration of another client says nothing about this one.
        if (ceiling == null || key.Load != "max" || key.Client != "wire" || cell.Median!.Rate <= 0 || ceiling.Rate >= Headroom * cell.Median.Rate)
            return null;
        // The responder is measured once for each kind of socket, without what an arm of a sweep changes.
        var without = string.Join(' ', key.Variant.Split(' ').Where(part => part.Contains('=')));
        return new Finding(cell.Median.Rate / Math.Max(1, ceiling.Rate), Invariant(
            $"measured {Quantity.Count(cell.Median.Rate)} requests/s where the client itself reaches {Quantity.Count(ceiling.Rate)} against a responder of almost no cost ({ceiling.Rate / cell.Median.Rate:0.00}×, wanted {Headroom:0.0}×{(without.Length == 0 ? "" : $"; the ceiling was found without {without}")})"));
    }
}
