using System.ComponentModel;
using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Profile;

/// <summary>Samples the CPU time of processes with perf(1). Names the methods that .NET processes compile.</summary>
internal sealed class Sampler : IAsyncDisposable
{
    /// <summary>The number of samples per second of CPU time.</summary>
    public const int PerSecond = 2000;

    // Up to this value of perf_event_paranoid, every user may sample the kernel (kernel documentation, sysctl/kernel).
    private const int MostParanoid = 1;

    // CAP_SYS_ADMIN and CAP_PERFMON (capabilities(7)). Either capability allows perf to sample any process and the kernel.
    private const ulong Capabilities = (1UL << 21) | (1UL << 38);

    private const string ParanoidFile = "/proc/sys/kernel/perf_event_paranoid";

    private readonly Dictionary<int, RuntimeFolder> named = [];

    /// <summary>Returns why these processes cannot be sampled here, as one sentence. Null when they can be sampled.</summary>
    public static async Task<string?> RefusalAsync(IReadOnlyCollection<int> processes, CancellationToken cancellation)
    {
        if (!OperatingSystem.IsLinux())
            return "--profile: this system has no perf(1), which samples the server on Linux: nothing is sampled";
        if (!File.Exists(ParanoidFile))
            return "--profile: the kernel offers no perf events: nothing is sampled";
        if (Unprivileged() && Paranoid() > MostParanoid)
        {
            return string.Create(CultureInfo.InvariantCulture, $"--profile: perf_event_paranoid is {Paranoid()}, so perf may not sample ")
                + string.Create(CultureInfo.InvariantCulture, $"the kernel: run sudo sysctl kernel.perf_event_paranoid={MostParanoid}; ")
                + "nothing is sampled";
        }
        if (Unprivileged() && processes.Where(IsOfAnother).Select(one => (int?)one).FirstOrDefault() is { } other)
        {
            return string.Create(CultureInfo.InvariantCulture, $"--profile: process {other} belongs to another user, so only root may ")
                + "sample this process: nothing is sampled";
        }
        if (Environment.GetEnvironmentVariable("PATH")?.Split(':').Any(folder => File.Exists(Path.Combine(folder, "perf"))) != true)
            return "--profile: there is no perf(1) here (Debian: apt install linux-perf): nothing is sampled";
        if (processes.Count == 0)
            return null;
        try
        {
            await using var recording = await PerfRecording.StartAsync(processes, [], cancellation);
            await recording.StopAsync();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or Win32Exception)
        {
            return $"--profile: perf cannot sample the server ({e.Message}): nothing is sampled";
        }
    }

    /// <summary>Makes the .NET processes in this list write the names of their compiled methods, until this object is disposed.</summary>
    public async Task NameAsync(IEnumerable<int> processes)
    {
        foreach (var process in processes)
        {
            var runtime = new RuntimeFolder(process);
            if (!named.ContainsKey(process) && await DiagnosticsPort.EnableAsync(runtime))
                named[process] = runtime;
        }
    }

    /// <summary>True when this process is .NET and writes the names of its compiled methods.</summary>
    public bool IsDotnet(int process) => named.ContainsKey(process);

    /// <summary>Begins to sample.</summary>
    /// <inheritdoc cref="PerfRecording.StartAsync" path="/exception"/>
    public Task<PerfRecording> StartAsync(IReadOnlyCollection<int> processes, CancellationToken cancellation) =>
        PerfRecording.StartAsync(processes, named.Values.Select(runtime => runtime.Map), cancellation);

    /// <summary>Reads the samples of a recording that has ended.</summary>
    public IAsyncEnumerable<PerfSample> ReadAsync(PerfRecording recording)
    {
        var maps = named.ToDictionary(one => one.Key, one => new Lazy<CodeMap?>(one.Value.Read));
        return recording.ReadAsync(new PerfScript(process => maps.TryGetValue(process, out var map) ? map.Value : null));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var runtime in named.Values)
        {
            await DiagnosticsPort.DisableAsync(runtime);
            WholeFile.TryDelete(runtime.Map);
        }
    }

    private static int Paranoid() =>
        int.TryParse(File.ReadAllText(ParanoidFile), CultureInfo.InvariantCulture, out var value) ? value : 0;

    private static bool Unprivileged() => !ulong.TryParse(
        RuntimeFolder.LineOf(Environment.ProcessId, "CapEff:"), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var held)
        || (held & Capabilities) == 0;

    private static bool IsOfAnother(int process) =>
        RuntimeFolder.LineOf(process, "Uid:") != RuntimeFolder.LineOf(Environment.ProcessId, "Uid:");
}
