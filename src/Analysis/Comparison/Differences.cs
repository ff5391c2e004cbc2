using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Comparison;

/// <summary>Finds how the machines and settings of two runs differ.</summary>
public static class Differences
{
    /// <summary>
    /// Lists the differences that show two different machines. <c>--fail-on</c> judges such runs only with <c>--across</c>.
    /// </summary>
    public static IReadOnlyList<Difference> OfMachines(RunRecord before, RunRecord after) => Changed(Machine(before), Machine(after));

    /// <summary>Lists all other differences, for example of settings and versions.</summary>
    public static IReadOnlyList<Difference> OfSettings(RunRecord before, RunRecord after) => Changed(Settings(before), Settings(after));

    private static List<Difference> Changed(IEnumerable<(string What, string Value)> before, IEnumerable<(string What, string Value)> after)
    {
        var (old, now) = (ByName(before), ByName(after));
        return [.. old.Keys.Union(now.Keys)
            .Select(what => new Difference(what, old.GetValueOrDefault(what, ""), now.GetValueOrDefault(what, "")))
            .Where(difference => difference.Before != difference.After)];
    }

    private static Dictionary<string, string> ByName(IEnumerable<(string What, string Value)> entries) =>
        entries.GroupBy(entry => entry.What).ToDictionary(group => group.Key, group => group.First().Value);

    private static IEnumerable<(string, string)> Machine(RunRecord run)
    {
        var host = run.Host;
        yield return ("operating system", host.Os);
        yield return ("architecture", host.Architecture);
        yield return ("virtualization", host.Virtualization);
        yield return ("CPU", host.CpuModel);
        yield return ("logical CPUs", Text(host.LogicalCpus));
        yield return ("physical cores", Text(host.PhysicalCores));
        yield return ("CPU quota", Text(host.CpuQuota));
        yield return ("memory", Text(Math.Round(host.MemoryBytes / (double)(1L << 30))) + " GiB");
        yield return ("server's operating system", string.Join(", ", run.Servers.Select(server => server.Os).Distinct()));
        yield return ("server's processors", string.Join(", ", run.Servers.Select(server => Text(server.Processors)).Distinct()));
    }

    private static IEnumerable<(string, string)> Settings(RunRecord run)
    {
        var (host, options) = (run.Host, run.Options);
        yield return ("tool", run.ToolVersion);
        yield return ("kernel", host.Kernel);
        yield return ("runtime", host.Runtime);
        yield return ("client's GC", host.GcMode);
        yield return ("tiering", host.Tiering);
        yield return ("governor", host.Governor);
        yield return ("clock source", host.ClockSource);
        yield return ("client's CPUs", host.ClientCpus);
        yield return ("server's CPUs", host.ServerCpus);
        yield return ("duration", options.Calls > 0 ? Text(options.Calls) + " calls" : Text(options.DurationNs / 1e9) + " s");
        yield return ("slices", options.SliceNs > 0 ? Text(options.SliceNs / 1e9) + " s" : "none");
        yield return ("warm-up", Text(options.WarmupNs / 1e9) + " s");
        yield return ("threads", Text(options.Threads));
        foreach (var server in run.Servers.Take(1))
        {
            yield return ("server", $"{server.Stack} {server.StackVersion}".Trim());
            yield return ("server's version", server.Version);
            yield return ("server's runtime", server.Runtime);
            yield return ("server's GC", server.GcMode);
        }
        foreach (var (name, value) in options.Knobs.Concat(host.RuntimeVariables).Concat(host.Settings))
            yield return (name, value);
        foreach (var (name, value) in run.Servers.Take(1).SelectMany(server => server.Settings))
            yield return ("server: " + name, value);
    }

    private static string Text(double value) => value.ToString("0.###", CultureInfo.InvariantCulture);
}
