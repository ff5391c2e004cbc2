using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Run;

/// <summary>
/// Ceilings found earlier, in a file of the user, each under the environment that it was found in. A file that cannot be used is no
/// error.
/// </summary>
internal sealed class CalibrationCache(string path, TimeProvider? clock = null)
{
    private const int MostEntries = 500;
    private static readonly TimeSpan Fresh = TimeSpan.FromDays(7);

    /// <summary><c>GrpcBench/calibration.json</c> below the user's folder for caches.</summary>
    public static CalibrationCache OfUser()
    {
        var folder = Environment.GetEnvironmentVariable("XDG_CACHE_HOME") is { Length: > 0 } cache
            ? cache
            : Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData, Environment.SpecialFolderOption.DoNotVerify);
        return new CalibrationCache(Path.Combine(folder, "GrpcBench", "calibration.json"));
    }

    /// <summary>
    /// A short text that is the same only where a ceiling would be: machine, runtime, tool, place and the knobs of the client.
    /// </summary>
    public static string EnvironmentKey(HostInfo host, LoadOptions load, string serverCpus)
    {
        var variables = string.Join(' ', host.RuntimeVariables.Select(variable => variable.Key + "=" + variable.Value));
        object?[] parts =
        [
            ToolVersion.Text, host.Os, host.Kernel, host.CpuModel, host.LogicalCpus, host.CpuQuota, host.Virtualization, host.Governor,
            host.Runtime, host.GcMode, host.Tiering, variables, host.ClientCpus, serverCpus,
            load.Threads, load.ClientSettings,
        ];
        var text = string.Join('\n', parts.Select(part => FormattableString.Invariant($"{part}")));
        return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(text)))[..16];
    }

    /// <summary>Null when it was never found here, or too long ago.</summary>
    public Calibration? Find(string environs, Calibration like) => Load()
        .LastOrDefault(entry => entry.EnvironmentKey == environs && IsSame(entry.Found, like) && IsFresh(entry, Now))?.Found;

    public void Keep(string environs, IEnumerable<Calibration> found)
    {
        var now = Now;
        var fresh = found.Select(calibration => new Entry(environs, now, calibration)).ToList();
        var kept = Load().Where(entry => IsFresh(entry, now)
            && !fresh.Exists(other => other.EnvironmentKey == entry.EnvironmentKey && IsSame(other.Found, entry.Found)));
        Save([.. kept.Concat(fresh).TakeLast(MostEntries)]);
    }

    private DateTimeOffset Now => (clock ?? TimeProvider.System).GetUtcNow();

    // An entry of the future was written before the clock was set back: how old it is nobody knows.
    private static bool IsFresh(Entry entry, DateTimeOffset now) => entry.At <= now && now - entry.At < Fresh;

    private static bool IsSame(Calibration one, Calibration other) =>
        (one.Transport, one.Size, one.Connections, one.Streams) == (other.Transport, other.Size, other.Connections, other.Streams);

    private IReadOnlyList<Entry> Load()
    {
        try
        {
            var entries = JsonSerializer.Deserialize(WholeFile.Read(path), CalibrationJson.Default.IReadOnlyListEntry) ?? [];
            return [.. entries.Where(entry => entry is { EnvironmentKey: not null, Found: not null })];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or JsonException or NotSupportedException)
        {
            return [];
        }
    }

    private void Save(IReadOnlyList<Entry> entries)
    {
        try
        {
            var json = JsonSerializer.SerializeToUtf8Bytes(entries, CalibrationJson.Default.IReadOnlyListEntry);
            WholeFile.Write(path, file => file.Write(json));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            // Next time it is measured again.
        }
    }

    internal sealed record Entry(string EnvironmentKey, DateTimeOffset At, Calibration Found);
}

/// <summary>The shape of the cache's file.</summary>
[JsonSourceGenerationOptions(WriteIndented = true)]
[JsonSerializable(typeof(IReadOnlyList<CalibrationCache.Entry>))]
internal sealed partial class CalibrationJson : JsonSerializerContext;
