using System.ComponentModel;
using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Profile;

/// <summary>
/// Samples what processes do: with perf(1), which sees their CPU time, or, where perf may not sample, with the .NET runtimes of these
/// processes.
/// </summary>
internal sealed class Sampler : IAsyncDisposable
{
    /// <summary>The number of samples of perf per second of CPU time.</summary>
    public const int PerSecondOfPerf = 2000;

    // Up to this value of perf_event_paranoid, every user may sample the kernel (kernel documentation, sysctl/kernel).
    private const int MostParanoid = 1;

    // CAP_SYS_ADMIN and CAP_PERFMON (capabilities(7)). Either capability allows perf to sample any process and the kernel.
    private const ulong Capabilities = (1UL << 21) | (1UL << 38);

    private const string ParanoidFile = "/proc/sys/kernel/perf_event_paranoid";

    private readonly Dictionary<int, RuntimeFolder> named = [];
    private readonly bool isPerf;

    private Sampler(bool isPerf) => this.isPerf = isPerf;

    /// <summary>The origin of the samples, for the results file.</summary>
    public string By => isPerf ? RunProfile.Perf : RunProfile.Runtime;

    public int PerSecond => isPerf ? PerSecondOfPerf : RuntimeRecording.PerSecond;

    /// <summary>Chooses how these processes are sampled.</summary>
    /// <returns>The sampler, or null. Then a sentence with the reason why perf does not sample. Empty when perf samples.</returns>
    public static async Task<(Sampler? Sampler, string Reason)> ChooseAsync(
        IReadOnlyCollection<int> processes, CancellationToken cancellation)
    {
        if (await RefusalOfPerfAsync(processes, cancellation) is not { } refusal)
            return (new Sampler(isPerf: true), "");
        return processes.Any(IsTraced)
            ? (new Sampler(isPerf: false), $"--profile: {refusal}: the .NET runtime of the server takes the samples")
            : (null, $"--profile: {refusal}: nothing is sampled");
    }

    /// <summary>Returns those of the processes that can be sampled.</summary>
    public IEnumerable<int> Sampled(IEnumerable<int> processes) => isPerf ? processes : processes.Where(IsTraced);

    /// <summary>True when the samples of this process have the names of .NET's methods.</summary>
    public bool IsDotnet(int process) => !isPerf || named.ContainsKey(process);

    /// <summary>
    /// Begins to sample. .NET processes that perf samples write the names of their methods until this object is disposed.
    /// </summary>
    /// <exception cref="IOException">The processes cannot be sampled. The message gives the reason.</exception>
    /// <exception cref="Win32Exception">perf's shell cannot be started.</exception>
    public async Task<IRecording> StartAsync(IReadOnlyCollection<int> processes, CancellationToken cancellation)
    {
        if (!isPerf)
            return await RuntimeRecording.StartAsync(processes);
        foreach (var process in processes)
        {
            var runtime = new RuntimeFolder(process);
            if (!named.ContainsKey(process) && await DiagnosticsPort.EnableMapAsync(runtime.Port))
                named[process] = runtime;
        }
        return await PerfRecording.StartAsync(processes, named, cancellation);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var runtime in named.Values)
        {
            await DiagnosticsPort.DisableMapAsync(runtime.Port);
            WholeFile.TryDelete(runtime.Map);
        }
    }

    /// <summary>Returns why perf cannot sample these processes here, as a clause. Null when perf can sample them.</summary>
    private static async Task<string?> RefusalOfPerfAsync(IReadOnlyCollection<int> processes, CancellationToken cancellation)
    {
        if (!OperatingSystem.IsLinux())
            return "this system has no perf(1)";
        if (!File.Exists(ParanoidFile))
            return "the kernel offers no perf events";
        if (Unprivileged() && Paranoid() > MostParanoid)
        {
            return string.Create(CultureInfo.InvariantCulture, $"perf_event_paranoid is {Paranoid()}, so perf may not sample ")
                + string.Create(CultureInfo.InvariantCulture, $"the kernel (sudo sysctl kernel.perf_event_paranoid={MostParanoid})");
        }
        if (Unprivileged() && processes.Where(IsOfAnother).Select(one => (int?)one).FirstOrDefault() is { } other)
        {
            return string.Create(CultureInfo.InvariantCulture, $"process {other} belongs to another user, so only root may ")
                + "sample this process";
        }
        if (Environment.GetEnvironmentVariable("PATH")?.Split(':').Any(folder => File.Exists(Path.Combine(folder, "perf"))) != true)
            return "there is no perf(1) here (Debian: apt install linux-perf)";
        if (processes.Count == 0)
            return null;
        try
        {
            await using var recording = await PerfRecording.StartAsync(processes, new Dictionary<int, RuntimeFolder>(), cancellation);
            await recording.StopAsync();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or Win32Exception)
        {
            return $"perf cannot sample the server ({e.Message})";
        }
    }

    private static bool IsTraced(int process) =>
        (!Unprivileged() || !IsOfAnother(process)) && new RuntimeFolder(process).Port is not null;

    private static int Paranoid() =>
        int.TryParse(File.ReadAllText(ParanoidFile), CultureInfo.InvariantCulture, out var value) ? value : 0;

    private static bool Unprivileged() => !ulong.TryParse(
        RuntimeFolder.LineOf(Environment.ProcessId, "CapEff:"), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var held)
        || (held & Capabilities) == 0;

    private static bool IsOfAnother(int process) =>
        RuntimeFolder.LineOf(process, "Uid:") != RuntimeFolder.LineOf(Environment.ProcessId, "Uid:");
}
