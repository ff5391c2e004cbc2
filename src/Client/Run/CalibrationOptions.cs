using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Run;

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
