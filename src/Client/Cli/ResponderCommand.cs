using System.CommandLine;
using IpcBench.Client.CalibrationServer;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary><c>GrpcBench responder</c>, hidden: the server of almost no cost that calibration measures the client against.</summary>
internal static class ResponderCommand
{
    public static Command Create()
    {
        var listen = new Option<string[]>("--listen") { Description = "Address to listen on", Required = true };
        var command = new Command(ResponderProcess.Command, "Answer every call at almost no cost, until standard input closes") { listen };
        command.Hidden = true;
        command.SetAction(async (parsed, cancellation) =>
        {
            var addresses = parsed.GetValue(listen)!.Select(address => Parsers.Address(address)).ToList();
            await ResponderProcess.ServeAsync(addresses, Console.OpenStandardInput(), parsed.InvocationConfiguration.Output, cancellation);
            return ExitCode.Ok;
        });
        return command;
    }
}
