using System.Net.Sockets;
using System.Runtime.InteropServices;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.CalibrationServer;

/// <summary>The responder as a process: the command that starts it, what it prints for its parent, and how it ends.</summary>
internal static class ResponderProcess
{
    /// <summary>The sub-command of this program.</summary>
    public const string Command = "responder";

    /// <summary>Printed once for each address, followed by it.</summary>
    public const string Listening = "responder listening on ";

    /// <summary>Printed when every address is open.</summary>
    public const string Ready = "responder ready";

    /// <summary>Answers at every address until <paramref name="input"/> ends.</summary>
    /// <exception cref="EnvironmentException">One of them cannot be listened on.</exception>
    public static async Task ServeAsync(IReadOnlyList<Address> addresses, Stream input, TextWriter output, CancellationToken cancellation)
    {
        // Ctrl-C reaches the whole group of processes; this one ends with its parent.
        using var ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        using var responders = new Responders();
        var hosts = new List<ResponderHost>();
        try
        {
            foreach (var address in addresses)
                hosts.Add(Start(address, responders));
            foreach (var host in hosts)
                await output.WriteLineAsync(Listening + host.Address);
            await output.WriteLineAsync(Ready);
            await output.FlushAsync(cancellation);
            await input.CopyToAsync(Stream.Null, cancellation);
        }
        finally
        {
            foreach (var host in hosts)
                await host.DisposeAsync();
        }
    }

    private static ResponderHost Start(Address address, Responders responders)
    {
        try
        {
            return ResponderHost.Start(address, responders);
        }
        catch (Exception e) when (e is SocketException or NotSupportedException)
        {
            throw new EnvironmentException($"cannot listen on {address}: {e.Message}", e);
        }
    }
}
