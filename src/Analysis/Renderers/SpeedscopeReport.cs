using System.Text.Json.Nodes;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// The sampled stacks of the server (<c>--profile</c>) for speedscope.app, with a profile for each cell. The weights of a
/// profile add up to the server's CPU time of a call. If this time is unknown, or a runtime took the samples, the weights are
/// numbers of samples. All samples whose stacks the file does not keep are one frame.
/// </summary>
public sealed class SpeedscopeReport : IReport
{
    private const string Others = "(less frequent stacks)";

    public string Format => "speedscope";

    public string Make(ReportModel model)
    {
        var (frames, profiles) = (new JsonArray(), new JsonArray());
        foreach (var file in model.Files)
        {
            var first = frames.Count;
            foreach (var name in (file.Run.Record.Profile?.Frames ?? []).Append(Others))
                frames.Add((JsonNode)new JsonObject { ["name"] = name });
            foreach (var cell in StageShares.Compute(file.Run))
                profiles.Add((JsonNode)Profile(cell, $"{(model.Files.Count > 1 ? file.Name + ": " : "")}{cell.Cell.Key.Arm}, "
                    + Arms.NameOf(file.Run, cell.Cell.Workload), first, file.Run.Record.Profile!.Frames.Count));
        }
        return new JsonObject
        {
            ["$schema"] = "https://www.speedscope.app/file-format-schema.json",
            ["exporter"] = "GrpcBench",
            ["shared"] = new JsonObject { ["frames"] = frames },
            ["profiles"] = profiles,
        }.ToJsonString() + "\n";
    }

    private static JsonObject Profile(StageShares cell, string name, int first, int names)
    {
        var stacks = FoldedStacks.Decode(cell.Profile.Stacks, names).ToList();
        var all = cell.Profile.Windows.Sum(window => window.Samples.Values.Sum());
        stacks.Add(([names], Math.Max(0, all - stacks.Sum(stack => stack.Samples))));
        var weight = (cell.CallNs ?? all) / all;
        return new JsonObject
        {
            ["type"] = "sampled",
            ["name"] = name,
            ["unit"] = cell.CallNs is null ? "none" : "nanoseconds",
            ["startValue"] = 0,
            ["endValue"] = all * weight,
            ["samples"] = JsonReport.Array(stacks.Select(stack =>
                JsonReport.Array(stack.Frames.Select(frame => (JsonNode?)(first + frame))))),
            ["weights"] = JsonReport.Array(stacks.Select(stack => (JsonNode?)(stack.Samples * weight))),
        };
    }
}
