using System.Globalization;

namespace IpcBench.Host;

/// <summary>The CPUs, cores and sockets that Linux reports, and the model name. Unknown numbers are 0.</summary>
internal sealed record CpuTopology(string Model, int Logical, int Cores, int Sockets)
{
    public static CpuTopology Read(ISystemFiles files)
    {
        var cpuinfo = files.Read("/proc/cpuinfo");
        var online = CpuSet.TryParse(files.Read("/sys/devices/system/cpu/online"), out var set, out _) ? set.Cpus : [];
        var places = online.Select(cpu => Place(files, cpu)).OfType<(string Package, string Core)>().ToList();
        return new CpuTopology(
            ModelName(cpuinfo),
            online.Count,
            places.Distinct().Count(),
            places.Select(place => place.Package).Distinct().Count());
    }

    private static (string Package, string Core)? Place(ISystemFiles files, int cpu)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"/sys/devices/system/cpu/cpu{cpu}/topology/");
        var core = files.Read(folder + "core_id");
        return core.Length == 0 ? null : (files.Read(folder + "physical_package_id"), core);
    }

    // x86 calls the field "model name". Other processors use "Model", "cpu model" or "cpu".
    private static string ModelName(string cpuinfo)
    {
        string[] names = ["model name", "Model", "cpu model", "cpu"];
        var fields = cpuinfo.Split('\n')
            .Select(line => line.Split(':', 2))
            .Where(parts => parts.Length == 2)
            .Select(parts => (Name: parts[0].Trim(), Value: parts[1].Trim()))
            .ToList();
        var values = names.Select(name => fields.FirstOrDefault(field => field.Name == name).Value);
        return values.FirstOrDefault(value => !string.IsNullOrEmpty(value)) ?? "";
    }
}
