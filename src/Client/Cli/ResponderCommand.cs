using System.CommandLine;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using IpcBench.Client.CalibrationServer;
using IpcBench.Client.Machine;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary><c>GrpcBench responder</c>, hidden: the server of almost no cost that calibration measures the client against.</summary>
internal static class ResponderCommand
{
    public const string Name = "responder";

    /// <summary>Printed once for each address, followed by it.</summary>
    public const string Listening = "responder listening on ";

    /// <summary>Printed when every address is open.</summary>
    public const string Ready = "responder ready";

    public static Command Create()
    {
        var listen = new Option<string[]>("--listen") { Description = "Address to listen on", Required = true };
        var command = new Command(Name, "Answer every call at almost no cost, until standard input closes") { listen };
        command.Hidden = true;
        command.SetAction((parsed, cancellation) => RunAsync(
            [.. parsed.GetValue(listen)!.Select(ParseAddress)], Console.OpenStandardInput(), parsed.InvocationConfiguration.Output, cancellation));
        return command;
    }

    internal static async Task<int> RunAsync(IReadOnlyList<Address> addresses, Stream input, TextWriter output, CancellationToken cancellation)
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
            return ExitCode.Ok;
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

    private static Address ParseAddress(string text) => Address.TryParse(text, out var address, out var error) ? address : throw new UsageException(error);
}
