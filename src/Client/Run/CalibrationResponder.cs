using System.ComponentModel;
using System.Diagnostics;
using IpcBench.Client.CalibrationServer;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>The responder as a process of its own, on private addresses; it ends with this one, however that ends.</summary>
internal sealed class CalibrationResponder : IAsyncDisposable
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(15);
    private readonly Process process;
    private readonly IReadOnlyList<Address> asked;
    private readonly StreamReader output, error;

    private CalibrationResponder(Process process, IReadOnlyList<Address> asked)
    {
        (this.process, this.asked) = (process, asked);
        (output, error) = (process.StandardOutput, process.StandardError);
    }

    /// <summary>Where it answers, one address for each kind that was asked for.</summary>
    public IReadOnlyList<Address> Addresses { get; private set; } = [];

    /// <param name="kinds"><c>tcp</c>, <c>unix</c>, <c>pipe</c>.</param>
    /// <param name="options">Its place and its variables.</param>
    /// <param name="cancellation">Gives the start up.</param>
    /// <exception cref="IOException">It did not start; the message says why.</exception>
    /// <exception cref="EnvironmentException">And what was started may not be ended.</exception>
    public static async Task<CalibrationResponder> StartAsync(
        IEnumerable<string> kinds, CalibrationOptions options, CancellationToken cancellation)
    {
        List<Address> asked = [.. kinds.Select(ChildProcess.PrivateAddress)];
        var listen = asked.SelectMany(address => new[] { "--listen", address.ToString() });
        var info = ThisProgram.StartInfo([ResponderProcess.Command, .. listen]);
        info.RedirectStandardInput = info.RedirectStandardOutput = info.RedirectStandardError = true;
        info.CreateNoWindow = true;
        foreach (var (name, value) in options.HiddenVariables)
            info.Environment[name] = value;
        CalibrationResponder? responder = null;
        try
        {
            responder = new CalibrationResponder(Affinity.Start(info, options.ServerCpus ?? Relaunch.CpusBefore()), asked);
            await responder.WaitUntilReadyAsync().WaitAsync(Deadline, cancellation);
            return responder;
        }
        catch (Exception e)
        {
            var failure = e is Win32Exception or TimeoutException or EnvironmentException or InvalidOperationException
                ? new IOException($"the responder did not start: {e.Message}", e) : e;
            if (responder is not null)
                await ChildProcess.EndAfterAsync(failure, responder);
            if (failure != e)
                throw failure;
            throw;
        }
    }

    /// <summary>User and kernel time so far, in ns.</summary>
    /// <exception cref="IOException">It has ended.</exception>
    public long CpuNs
    {
        get
        {
            try
            {
                process.Refresh();
                return (long)process.TotalProcessorTime.TotalNanoseconds;
            }
            catch (Exception e) when (e is InvalidOperationException or Win32Exception)
            {
                throw new IOException("the responder has ended", e);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await ChildProcess.EndAsync(process, TimeSpan.FromSeconds(3), asked);
        // Process.Dispose leaves them open, since they were handed out.
        output.Dispose();
        error.Dispose();
    }

    private async Task WaitUntilReadyAsync()
    {
        var addresses = new List<Address>();
        while (await output.ReadLineAsync() is { } line)
        {
            if (line == ResponderProcess.Ready)
            {
                Addresses = addresses;
                return;
            }
            if (line.StartsWith(ResponderProcess.Listening, StringComparison.Ordinal))
                addresses.Add(Address.Parse(line[ResponderProcess.Listening.Length..]));
        }
        throw new IOException($"the responder did not start: {(await error.ReadToEndAsync()).Trim()}");
    }
}
