using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>Everything a file tells of its machine and settings, by name.</summary>
internal static class EnvironmentList
{
    public static IEnumerable<(string Name, string Value)> Of(RunRecord run)
    {
        var (host, options) = (run.Host, run.Options);
        yield return ("machine", RunHeader.Machine(host));
        yield return ("cores", host.PhysicalCores > 0 ? TextBuilding.Invariant($"{host.PhysicalCores} in {host.Sockets} {(host.Sockets == 1 ? "socket" : "sockets")}") : "");
        yield return ("memory", host.MemoryBytes > 0 ? TextBuilding.Invariant($"{host.MemoryBytes / (double)(1L << 30):0.#} GiB") : "");
        yield return ("governor", host.Governor);
        yield return ("clock source", host.ClockSource);
        yield return ("client", $"GC {host.GcMode}, {host.Tiering}");
        yield return ("limits", TextBuilding.Invariant($"{host.OpenFileLimit} open files, accept queue {host.SoMaxConn}"));
        foreach (var server in run.Servers)
        {
            yield return ("server", $"{server.Stack} {server.StackVersion} ({server.Version}), {server.Runtime}, GC {server.GcMode}, on {string.Join(", ", server.Addresses)}");
            yield return ("server settings", Join(server.Settings));
        }
        yield return ("knobs", Join(options.Knobs));
        yield return ("runtime variables", Join(host.RuntimeVariables));
        yield return ("system settings", Join(host.Settings));
        foreach (var ceiling in run.Calibrations)
            yield return ("client's ceiling", $"{ceiling.Transport}, {Quantity.Size(ceiling.Size)}, {ceiling.Connections.ToString(CultureInfo.InvariantCulture)} connections: {Quantity.Count(ceiling.Rate)} requests/s, {Quantity.Micros(ceiling.ClientCpuNs)} a call");
        yield return ("seed", run.Seed.ToString(CultureInfo.InvariantCulture));
        yield return ("tool", run.ToolVersion);
    }

    private static string Join(IReadOnlyDictionary<string, string> entries) => string.Join(", ", entries.Select(entry => $"{entry.Key} = {entry.Value}"));
}
