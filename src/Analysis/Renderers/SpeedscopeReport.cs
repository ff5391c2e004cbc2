using System.Buffers;
using System.Text;
using System.Text.Json;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Profile;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// The stacks of the server's CPU time (<c>--profile</c>) for speedscope.app, with a profile for each cell. The weights of a
/// profile add up to the server's CPU time of a call. If this time is unknown, the weights are numbers of samples. All
/// samples whose stacks the file does not keep are one frame.
/// </summary>
public sealed class SpeedscopeReport : IReport
{
    private const string Others = "(less frequent stacks)";

    public string Format => "speedscope";

    public string Make(ReportModel model)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("$schema", "https://www.speedscope.app/file-format-schema.json");
            json.WriteString("exporter", "GrpcBench");
            json.WriteStartObject("shared");
            json.WriteStartArray("frames");
            var first = 0;
            var firsts = new List<int>();
            foreach (var file in model.Files)
            {
                firsts.Add(first);
                foreach (var name in (file.Run.Record.Profile?.Frames ?? []).Append(Others))
                {
                    json.WriteStartObject();
                    json.WriteString("name", name);
                    json.WriteEndObject();
                    first++;
                }
            }
            json.WriteEndArray();
            json.WriteEndObject();
            json.WriteStartArray("profiles");
            foreach (var (file, start) in model.Files.Zip(firsts))
            {
                foreach (var cell in StageShares.Of(file.Run))
                    Append(json, cell, $"{(model.Files.Count > 1 ? file.Name + ": " : "")}{cell.Cell.Key.Arm}, "
                        + Arms.NameOf(file.Run, cell.Cell.Workload), start, file.Run.Record.Profile!.Frames.Count);
            }
            json.WriteEndArray();
            json.WriteEndObject();
        }
        return Encoding.UTF8.GetString(buffer.WrittenSpan) + "\n";
    }

    private static void Append(Utf8JsonWriter json, StageShares cell, string name, int first, int names)
    {
        var stacks = FoldedStacks.Decode(cell.Profile.Stacks, names).ToList();
        var all = cell.Profile.Windows.Sum(window => window.Samples.Values.Sum());
        stacks.Add(([names], Math.Max(0, all - stacks.Sum(stack => stack.Samples))));
        var weight = (cell.CallNs ?? all) / all;
        json.WriteStartObject();
        json.WriteString("type", "sampled");
        json.WriteString("name", name);
        json.WriteString("unit", cell.CallNs is null ? "none" : "nanoseconds");
        json.WriteNumber("startValue", 0);
        json.WriteNumber("endValue", all * weight);
        json.WriteStartArray("samples");
        foreach (var (frames, _) in stacks)
        {
            json.WriteStartArray();
            foreach (var frame in frames)
                json.WriteNumberValue(first + frame);
            json.WriteEndArray();
        }
        json.WriteEndArray();
        json.WriteStartArray("weights");
        foreach (var (_, samples) in stacks)
            json.WriteNumberValue(samples * weight);
        json.WriteEndArray();
        json.WriteEndObject();
    }
}
