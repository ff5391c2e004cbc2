using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Finds the client's own ceiling: the same client, connections and payload against a responder of almost no cost, in its own process on
/// the same kind of socket. A measured rate close to it says more about the client than about the server.
/// </summary>
internal static class Calibrator
{
    private const double MostSeconds = 3;

    // On a machine that others use each measurement would be in vain.
    private const int MostSpoiled = 2;

    // Of a method's requests: these are sent at the cost of Bench.Download's, which the responder is called with.
    private const long LongestRequest = 1 << 10;

    // The window finds the responder at work, as the windows of a run do; where calls take longer, so does the lead.
    private static readonly TimeSpan Lead = TimeSpan.FromMilliseconds(20);

    // TLS is the same socket with a cost of its own on both sides, which a responder cannot avoid.
    private static readonly string[] Kinds = ["tcp", "unix", "pipe"];

    /// <summary>
    /// One ceiling for each kind of socket, size, connections and streams among <paramref name="loads"/> that it can be found for.
    /// </summary>
    /// <param name="loads">
    /// The cells' loads; other clients than <c>wire</c>, all but unary gRPC calls and long requests are left out. A method has the ceiling
    /// of <c>Bench.Download</c> with replies as large as its first one.
    /// </param>
    /// <param name="options">How long, where, and what is known already.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>What was found, in the order of the loads; less than all of it when a measurement failed, which is noted.</returns>
    public static async Task<IReadOnlyList<Calibration>> RunAsync(
        IEnumerable<LoadOptions> loads, CalibrationOptions options, CancellationToken cancellation)
    {
        var wanted = loads.Where(IsCovered).DistinctBy(Like).ToList();
        var known = wanted.ToDictionary(load => load, load => options.Cache?.Find(EnvironmentKey(load, options), Like(load)));
        var missing = wanted.Where(load => known[load] is null).ToList();
        if (missing.Count > 0)
        {
            foreach (var (load, found) in await MeasureAllAsync(missing, options, cancellation))
                known[load] = found;
        }
        return [.. wanted.Select(load => known[load]).OfType<Calibration>()];
    }

    private static bool IsCovered(LoadOptions load) =>
        load is { Client: "wire", Protocol: "grpc", Mode: CallMode.Unary, ConnectPerCall: false }
            && load.Call is null or { Size: <= LongestRequest } && Kinds.Contains(load.Address.Kind);

    private static Calibration Like(LoadOptions load) => new()
    {
        Transport = load.Address.Kind,
        Size = load.Size,
        Connections = load.Connections,
        Streams = load.Streams,
        Rate = 0,
    };

    private static string EnvironmentKey(LoadOptions load, CalibrationOptions options) =>
        CalibrationCache.EnvironmentKey(options.Host, load, options.ServerCpus?.ToString() ?? "");

    private static async Task<IReadOnlyList<(LoadOptions Load, Calibration Found)>> MeasureAllAsync(
        IReadOnlyList<LoadOptions> loads, CalibrationOptions options, CancellationToken cancellation)
    {
        var found = new List<(LoadOptions Load, Calibration Found)>();
        try
        {
            await using var responder = await CalibrationResponder
                .StartAsync(loads.Select(load => load.Address.Kind).Distinct(), options, cancellation);
            var spoiled = 0;
            foreach (var load in loads)
            {
                if (await MeasureAsync(load, responder, options, cancellation) is { } calibration)
                    found.Add((load, calibration));
                else if (++spoiled == MostSpoiled)
                    throw new IOException("other programs use this machine, and the rest is left out");
            }
        }
        catch (Exception e) when (e is IOException or InvalidOperationException)
        {
            options.Note($"the client's ceiling is not known everywhere: {e.Message}");
        }
        foreach (var group in found.GroupBy(pair => EnvironmentKey(pair.Load, options), pair => pair.Found))
            options.Cache?.Keep(group.Key, group);
        return found;
    }

    /// <summary>Null when others had too much of the machine.</summary>
    private static async Task<Calibration?> MeasureAsync(
        LoadOptions load, CalibrationResponder responder, CalibrationOptions options, CancellationToken cancellation)
    {
        var address = responder.Addresses.First(address => address.Kind == load.Address.Kind);
        await using var generator = await ProtocolTable.OpenAsync(load with { Address = address, Call = null }, cancellation);
        var warm = await WindowAsync(generator, load, options.Warmup, cancellation);
        var (duration, windows) = Plan(load, warm.Rate, options);
        var machine = MachineSnapshot.Take();
        var before = responder.CpuNs + OwnCpuNs();
        var best = Like(load);
        for (var i = 0; i < windows; i++)
            best = Better(best, await WindowAsync(generator, load, duration, cancellation));

        var what = string.Create(CultureInfo.InvariantCulture, $"{best.Transport} at {best.Size} bytes");
        var foreign = ForeignShare(MachineSnapshot.Between(machine, MachineSnapshot.Take()), responder.CpuNs + OwnCpuNs() - before);
        options.Note(foreign > options.ForeignShare
            ? string.Create(CultureInfo.InvariantCulture, $"not calibrated: {what}, other programs used {foreign * 100:0} % of the machine")
            : string.Create(CultureInfo.InvariantCulture, $"calibrated {what}: the client alone reaches {best.Rate:0} requests/s"));
        return foreign > options.ForeignShare ? null : best;
    }

    /// <summary>Each window holds every stream's call twice over; where that takes long, there are fewer windows.</summary>
    internal static (TimeSpan Duration, int Windows) Plan(LoadOptions load, double rate, CalibrationOptions options)
    {
        var needed = Math.Clamp(2.0 * load.Connections * load.Streams / rate, options.Duration.TotalSeconds, MostSeconds);
        var windows = Math.Round(options.Windows * options.Duration.TotalSeconds / needed);
        return (TimeSpan.FromSeconds(needed), (int)Math.Clamp(windows, 1, options.Windows));
    }

    private static async Task<Calibration> WindowAsync(
        LoadGenerator generator, LoadOptions load, TimeSpan duration, CancellationToken cancellation)
    {
        var edges = new CpuEdges();
        var result = await generator.RunAsync(new LoadWindow { Lead = Lead, Duration = duration }, cancellation, edges);
        cancellation.ThrowIfCancellationRequested();
        if (result.ServerLost is { } lost)
            throw new IOException(lost);
        if (result.Ok == 0 || result.Failed.Count > 0)
            throw new IOException($"calls to the responder failed on {load.Address.Kind}: {string.Join(", ", result.Failed.Keys)}");
        return Like(load) with { Rate = result.Credited / (result.WindowNs / 1e9), ClientCpuNs = edges.UsedNs / result.Credited };
    }

    private static Calibration Better(Calibration one, Calibration other) => one.Rate >= other.Rate ? one : other;

    private static long OwnCpuNs() => (long)Environment.CpuUsage.TotalTime.TotalNanoseconds;

    /// <summary>What this process uses in a window.</summary>
    private sealed class CpuEdges : IWindowEdges
    {
        public long UsedNs { get; private set; }

        public void OnBegin() => UsedNs = -OwnCpuNs();

        public void OnEnd() => UsedNs += OwnCpuNs();
    }

    private static double ForeignShare(MachineTimes? machine, long oursNs) =>
        machine is { CapacityNs: > 0 } ? (machine.BusyNs - machine.SoftIrqNs - oursNs) / (double)machine.CapacityNs : 0;
}

/// <summary>How the client's own ceiling is found.</summary>
internal sealed record CalibrationOptions
{
    /// <summary>This machine: a ceiling found earlier holds for the same one only.</summary>
    public required HostInfo Host { get; init; }

    /// <summary>Where the responder runs: the server's place, or the ceiling is that of another machine.</summary>
    public CpuSet? ServerCpus { get; init; }

    public TimeSpan Warmup { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Of one window; the best of <see cref="Windows"/> counts: a ceiling is what can be reached.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromMilliseconds(150);

    public int Windows { get; init; } = 4;

    /// <summary>
    /// Share of the machine that others may use meanwhile; beyond it the best that was seen is no ceiling and is left out.
    /// </summary>
    public double ForeignShare { get; init; } = 0.2;

    /// <summary>Keeps ceilings from run to run; null forgets them.</summary>
    public CalibrationCache? Cache { get; init; } = CalibrationCache.OfUser();

    /// <summary>What this process set for its own runtime, with the original values: no setting for the responder.</summary>
    public IReadOnlyDictionary<string, string?> HiddenVariables { get; init; } = new Dictionary<string, string?>();

    /// <summary>Told what goes on: one line for each measurement, none for what the cache has.</summary>
    public Action<string> Note { get; init; } = static _ => { };
}
