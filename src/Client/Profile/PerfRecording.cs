using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;

namespace IpcBench.Client.Profile;

/// <summary>A perf(1) that records samples of processes to a file.</summary>
internal sealed class PerfRecording : IAsyncDisposable
{
    // perf samples as long as this shell waits for a line. If this process is killed, the shell reads the end of its input, and removes
    // the folder. So perf never outlives the run, and leaves no file behind.
    private const string WhileSampling = """echo ready; read -r line || rm -rf "$0" """;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    private readonly Process perf;
    private readonly Task<string> errors;
    private readonly string file;

    private PerfRecording(Process perf, string file) => (this.perf, this.file, errors) = (perf, file, perf.StandardError.ReadToEndAsync());

    /// <summary>Starts perf. It samples when this method returns.</summary>
    /// <param name="folder">An existing folder for the samples.</param>
    /// <exception cref="IOException">perf does not sample. The message is perf's.</exception>
    /// <exception cref="Win32Exception">There is no perf.</exception>
    public static async Task<PerfRecording> StartAsync(
        IReadOnlyCollection<int> processes, string folder, CancellationToken cancellation)
    {
        var file = Path.Combine(folder, "samples");
        var recording = new PerfRecording(Start(["record", "-q", "-g", "-B", "-N", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock",
            "-F", Sampler.PerSecond.ToString(CultureInfo.InvariantCulture), "-o", file, "-p",
            string.Join(',', processes.Select(one => one.ToString(CultureInfo.InvariantCulture))),
            "--", "sh", "-c", WhileSampling, folder]), file);
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

    /// <summary>Ends the sampling. The samples can be read afterwards.</summary>
    /// <exception cref="IOException">perf does not end.</exception>
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

    /// <summary>Reads the samples.</summary>
    /// <exception cref="IOException">There are no samples.</exception>
    public async IAsyncEnumerable<PerfSample> ReadAsync(PerfScript script)
    {
        if (!File.Exists(file))
            throw new IOException(await FirstErrorAsync());
        using var reader = Start(["script", "-i", file, "--ns", "--no-inline", "-F", PerfScript.Fields]);
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
            perf.Kill(entireProcessTree: true);
        perf.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<string> FirstErrorAsync() =>
        (await errors.WaitAsync(Patience)).Split('\n').Select(line => line.Trim())
            .FirstOrDefault(line => line.Length > 0 && line != "Error:") ?? "it says nothing";

    private static Process Start(IEnumerable<string> arguments)
    {
        var info = new ProcessStartInfo("perf", arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        info.Environment["LC_ALL"] = "C";
        info.Environment["PERF_CONFIG"] = "/dev/null"; // the user's settings of perf change its output
        info.Environment["DEBUGINFOD_URLS"] = ""; // else perf may ask a network for symbols
        return Process.Start(info)!;
    }
}
