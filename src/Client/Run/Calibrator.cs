using System.Globalization;
using IpcBench.Analysis.Records;
using IpcBench.Client.Load;
using IpcBench.Client.Machine;

namespace IpcBench.Client.Run;

/// <summary>
/// Finds the client's own ceiling: the same client, connections and payload against a responder of almost no cost, in its own process on the same
/// kind of socket. A measured rate close to it says more about the client than about the server.
/// </summary>
internal static class Calibrator
{
    // TLS is the same socket with a cost of its own on both sides, which a responder cannot avoid.
    private static readonly string[] Kinds = ["tcp", "unix", "pipe"];

    /// <summary>One ceiling for each kind of socket, size, connections and streams among <paramref name="loads"/> that it can be found for.</summary>
    /// <param name="loads">The cells' loads; other clients than <c>wire</c> and other protocols than <c>grpc</c> are left out.</param>
    /// <param name="options">How long, where, and what is known already.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <returns>What was found, in the order of the loads; less than all of it when a measurement failed, which is noted.</returns>
    public static async Task<IReadOnlyList<Calibration>> RunAsync(IEnumerable<LoadOptions> loads, CalibrationOptions options, CancellationToken cancellation)
    {
        var wanted = loads.Where(IsCovered).DistinctBy(Like).ToList();
        var known = wanted.ToDictionary(load => load, load => options.Cache?.Find(Environs(load, options), Like(load)));
        var missing = wanted.Where(load => known[load] is null).ToList();
        if (missing.Count > 0)
        {
            foreach (var (load, found) in await MeasureAllAsync(missing, options, cancellation))
                known[load] = found;
        }
        return [.. wanted.Select(load => known[load]).OfType<Calibration>()];
    }

    private static bool IsCovered(LoadOptions load) =>
        load is { Client: "wire", Protocol: "grpc" } && Kinds.Contains(load.Address.Kind);

    private static Calibration Like(LoadOptions load) => new()
    {
        Transport = load.Address.Kind,
        Size = load.Size,
        Connections = load.Connections,
        Streams = load.Streams,
        Rate = 0,
    };

    private static string Environs(LoadOptions load, CalibrationOptions options) =>
        CalibrationCache.Environs(options.Host, load, options.ServerCpus?.ToString() ?? "");

    private static async Task<IReadOnlyList<(LoadOptions Load, Calibration Found)>> MeasureAllAsync(
        IReadOnlyList<LoadOptions> loads, CalibrationOptions options, CancellationToken cancellation)
    {
        var found = new List<(LoadOptions Load, Calibration Found)>();
        try
        {
            await using var responder = await CalibrationResponder.StartAsync(loads.Select(load => load.Address.Kind).Distinct(), options, cancellation);
            foreach (var load in loads)
            {
                var address = responder.Addresses.First(address => address.Kind == load.Address.Kind);
                var calibration = await MeasureAsync(load with { Address = address }, options, cancellation);
                options.Note(string.Create(CultureInfo.InvariantCulture,
                    $"calibrated {calibration.Transport} at {calibration.Size} bytes: the client alone reaches {calibration.Rate:0} requests/s"));
                found.Add((load, calibration));
            }
        }
        catch (IOException e)
        {
            options.Note($"the client's ceiling is not known everywhere: {e.Message}");
        }
        foreach (var group in found.GroupBy(pair => Environs(pair.Load, options), pair => pair.Found))
            options.Cache?.Keep(group.Key, group);
        return found;
    }

    private static async Task<Calibration> MeasureAsync(LoadOptions load, CalibrationOptions options, CancellationToken cancellation)
    {
        await using var generator = await LoadGenerator.OpenAsync(load, cancellation);
        await generator.RunAsync(new LoadWindow { Duration = options.Warmup }, cancellation);
        var before = ProcessSnapshot.Take();
        var result = await generator.RunAsync(new LoadWindow { Duration = options.Duration }, cancellation);
        var usage = ProcessSnapshot.Take().Since(before, result.Ok);
        cancellation.ThrowIfCancellationRequested();
        if (result.ServerLost is { } lost)
            throw new IOException(lost);
        if (result.Completed == 0 || result.Failed.Count > 0)
            throw new IOException($"calls to the responder failed on {load.Address.Kind}: {string.Join(", ", result.Failed.Keys)}");
        return Like(load) with
        {
            Rate = result.Completed / (result.WindowNs / 1e9),
            ClientCpuNs = (usage.CpuUserNs + usage.CpuKernelNs) / (double)Math.Max(1, result.Ok),
        };
    }
}
