using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using IpcBench.Host;

namespace IpcBench.Client.Profile;

/// <summary>A run of perf(1), which writes samples of processes to a file.</summary>
internal sealed class PerfRecording : IRecording
{
    // perf samples as long as the inner shell waits for a line. If this process is killed, the inner shell reads the end of its input,
    // and the outer shell removes the files. So perf never outlives the run, and leaves no file behind. The inner shell ignores the
    // SIGTERM that perf sends when the server ends first.
    private const string Recording = """
        folder=$1 processes=$2 rate=$3; shift 3
        perf record -q -g -B -N -k CLOCK_MONOTONIC -e cpu-clock -F "$rate" -o "$folder/samples" -p "$processes" -- \
            sh -c 'trap "" TERM PIPE; echo ready; read -r line && : > "$0/kept"' "$folder"
        [ -e "$folder/kept" ] || rm -rf "$folder" "$@"
        """;

    // The shell removes the file of samples as soon as the file is open. So no file is left if this process is killed while perf reads.
    private const string Reading = """exec 3<"$1"; rm -rf "$0"; exec perf script -i /proc/self/fd/3 --ns --no-inline -F "$2" """;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly Process perf;
    private readonly Task<string> errors;
    private readonly string folder;
    private readonly IReadOnlyDictionary<int, RuntimeFolder> named;

    private PerfRecording(Process perf, string folder, IReadOnlyDictionary<int, RuntimeFolder> named) =>
        (this.perf, this.folder, this.named, errors) = (perf, folder, named, perf.StandardError.ReadToEndAsync());

    /// <summary>Starts perf. When this method returns, perf is already sampling.</summary>
    /// <param name="named">
    /// The processes that write the names of their methods to a file. These files are removed too if this process is killed.
    /// </param>
    /// <exception cref="IOException">perf does not sample. The message gives the reason.</exception>
    /// <exception cref="Win32Exception">The shell cannot be started.</exception>
    public static async Task<PerfRecording> StartAsync(
        IReadOnlyCollection<int> processes, IReadOnlyDictionary<int, RuntimeFolder> named, CancellationToken cancellation)
    {
        var folder = Directory.CreateTempSubdirectory("grpcbench-perf-").FullName;
        PerfRecording recording;
        try
        {
            recording = new(Start("sh", ["-c", Recording, "sh", folder,
                string.Join(',', processes.Select(one => one.ToString(CultureInfo.InvariantCulture))),
                Sampler.PerSecondOfPerf.ToString(CultureInfo.InvariantCulture),
                .. named.Values.Select(runtime => runtime.Map)]), folder, named);
        }
        catch (Win32Exception)
        {
            Directory.Delete(folder);
            throw;
        }
        try
        {
            if (await recording.perf.StandardOutput.ReadLineAsync(cancellation).AsTask().WaitAsync(Patience, cancellation) == "ready")
                return recording;
            throw new IOException(await recording.FirstErrorAsync());
        }
        catch (Exception e)
        {
            await recording.DisposeAsync();
            if (e is TimeoutException)
                throw new IOException("perf did not begin in 20 s", e);
            throw;
        }
    }

    public async Task StopAsync()
    {
        try
        {
            await perf.StandardInput.WriteLineAsync();
            perf.StandardInput.Close();
        }
        catch (IOException)
        {
            // perf and its shell have already ended, for example by Ctrl-C.
        }
        try
        {
            await perf.WaitForExitAsync().WaitAsync(Patience);
        }
        catch (TimeoutException e)
        {
            throw new IOException("perf did not end in 20 s", e);
        }
    }

    public async IAsyncEnumerable<StackSample> ReadAsync()
    {
        if (!File.Exists(FileIn(folder)))
            throw new IOException(await FirstErrorAsync());
        var maps = named.ToDictionary(one => one.Key, one => new Lazy<CodeMap?>(one.Value.Read));
        var script = new PerfScript(process => maps.TryGetValue(process, out var map) ? map.Value : null);
        using var reader = Start("sh", ["-c", Reading, folder, FileIn(folder), PerfScript.Fields]);
        reader.StandardInput.Close();
        var said = reader.StandardError.ReadToEndAsync();
        try
        {
            await foreach (var sample in script.ReadAsync(reader.StandardOutput))
                yield return sample;
            await reader.WaitForExitAsync();
            await said;
        }
        finally
        {
            if (!reader.HasExited)
                reader.Kill();
        }
    }

    public ValueTask DisposeAsync()
    {
        if (!perf.HasExited)
            ProcessTree.Kill(perf.Id);
        perf.Dispose();
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        return ValueTask.CompletedTask;
    }

    private async Task<string> FirstErrorAsync() =>
        (await errors.WaitAsync(Patience)).Split('\n').Select(line => line.Trim())
            .FirstOrDefault(line => line.Length > 0 && line != "Error:") ?? "perf printed no error";

    private static string FileIn(string folder) => Path.Combine(folder, "samples");

    private static Process Start(string program, IEnumerable<string> arguments)
    {
        var info = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        info.Environment["LC_ALL"] = "C";
        info.Environment["PERF_CONFIG"] = "/dev/null"; // the user's settings of perf could change perf's output
        info.Environment["DEBUGINFOD_URLS"] = ""; // otherwise perf may download symbols
        return Process.Start(info)!;
    }
}
