using System.Diagnostics;
using System.Reflection;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>All facts that the checks need. They are gathered before the checks, so that each check is a pure function.</summary>
internal sealed record DoctorFacts
{
    public required DoctorOptions Options { get; init; }
    public required HostInfo Host { get; init; }
    public required OpenFileLimit OpenFiles { get; init; }

    /// <summary>The number of CPUs that this process may use.</summary>
    public required int Cpus { get; init; }

    /// <summary>The cost of reading the clock once, in ns.</summary>
    public double ClockNs { get; init; }

    /// <summary>The machine's CPU times during <see cref="DoctorOptions.Watch"/>, while this program was idle. Null when unknown.</summary>
    public MachineTimes? Machine { get; init; }

    public long OwnCpuNs { get; init; }

    /// <summary>Free local TCP ports. 0 when unknown.</summary>
    public int FreePorts { get; init; }

    public IReadOnlyDictionary<Address, AddressState> Addresses { get; init; } = new Dictionary<Address, AddressState>();

    public string TempFolder { get; init; } = "";

    /// <summary>Why no file can be created in <see cref="TempFolder"/>. Empty when a file can be created.</summary>
    public string TempFailure { get; init; } = "";

    public string ResultsFailure { get; init; } = "";

    /// <summary>Why no certificate can be made. Empty when a certificate can be made. Null when the run needs no certificate.</summary>
    public string? CertificateFailure { get; init; }

    /// <summary>True when the client was compiled without optimization.</summary>
    public bool DebugBuild { get; init; }
}

/// <summary>Gathers all facts that the checks need. Never throws.</summary>
internal static class FactsGathering
{
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(400);

    public static async Task<DoctorFacts> GatherAsync(DoctorOptions options, HostInfo host)
    {
        var addresses = await LookAsync([.. options.Targets, .. options.Neighbours]);
        var facts = new DoctorFacts
        {
            Options = options,
            Host = host,
            OpenFiles = OpenFileLimit.Raise(),
            Cpus = Affinity.Available()?.Cpus.Count ?? Environment.ProcessorCount,
            ClockNs = ClockCost(),
            FreePorts = PortSpace.Free(),
            Addresses = addresses,
            TempFolder = Path.GetTempPath(),
            TempFailure = WriteFailure(Path.GetTempPath()),
            ResultsFailure = options.ResultsFolder is { } folder ? WriteFailure(folder) : "",
            CertificateFailure = options.Tls ? CertificateFailure() : null,
            DebugBuild = typeof(FactsGathering).Assembly.GetCustomAttribute<DebuggableAttribute>()?.IsJITOptimizerDisabled == true,
        };
        return await WatchAsync(facts, options.Watch);
    }

    // WatchAsync is called after all other facts are gathered, so that gathering them uses no CPU time during the watch.
    private static async Task<DoctorFacts> WatchAsync(DoctorFacts facts, TimeSpan time)
    {
        var machine = MachineSnapshot.Take();
        var own = Environment.CpuUsage.TotalTime;
        await Task.Delay(time);
        var usage = MachineSnapshot.Between(machine, MachineSnapshot.Take());
        return facts with { Machine = usage, OwnCpuNs = (long)(Environment.CpuUsage.TotalTime - own).TotalNanoseconds };
    }

    private static async Task<IReadOnlyDictionary<Address, AddressState>> LookAsync(IReadOnlyList<Address> addresses)
    {
        var distinct = addresses.Distinct().ToList();
        var states = await Task.WhenAll(distinct.Select(address => AddressProbe.LookAsync(address, Patience)));
        return distinct.Zip(states).ToDictionary(pair => pair.First, pair => pair.Second);
    }

    private static double ClockCost()
    {
        const int readings = 2000;
        var start = Stopwatch.GetTimestamp();
        for (var i = 0; i < readings; i++)
            _ = Stopwatch.GetTimestamp();
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds / readings;
    }

    /// <summary>
    /// Returns why no file can be created in <paramref name="folder"/>. If the folder is missing, checks its nearest existing parent.
    /// Empty when a file can be created.
    /// </summary>
    internal static string WriteFailure(string folder)
    {
        try
        {
            var existing = Path.GetFullPath(folder);
            while (!Directory.Exists(existing) && Path.GetDirectoryName(existing) is { } parent)
                existing = parent;
            var file = Path.Combine(existing, ".grpcbench-" + Guid.NewGuid().ToString("N"));
            using (new FileStream(file, FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose))
            {
            }
            return "";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            return e.Message;
        }
    }

    private static string CertificateFailure()
    {
        try
        {
            using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
            var now = DateTimeOffset.UtcNow;
            using var certificate = request.CreateSelfSigned(now, now.AddDays(1));
            return "";
        }
        catch (Exception e) when (e is CryptographicException or NotSupportedException or TypeInitializationException)
        {
            return e.Message;
        }
    }
}
