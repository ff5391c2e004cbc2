using System.CommandLine;
using System.CommandLine.Invocation;
using System.Runtime.InteropServices;
using IpcBench.Client;
using IpcBench.Client.Cli;
using IpcBench.Client.Commands;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;
using IpcBench.Host;
using IpcBench.Schema;

using var console = Utf8Console.Enable();
StandardOutput.Guard();

// SIGXFSZ (signal(7)) would end the process when a file grows above the limit (ulimit -f). The signal is cancelled, so that
// the write fails instead.
using var fileSize = OperatingSystem.IsLinux()
    ? PosixSignalRegistration.Create((PosixSignal)25, static signal => signal.Cancel = true)
    : null;

// The runtime also throws OutOfMemoryException when the system refuses a thread.
AppDomain.CurrentDomain.UnhandledException += static (_, unhandled) =>
{
    for (var e = unhandled.ExceptionObject as Exception; e is not null; e = e.InnerException)
    {
        if (e is not OutOfMemoryException)
            continue;
        ChildProcess.KillServers();
        Screen.Say("the system allows no more threads (ulimit -u, or the limit of a container) or no more memory");
        Environment.Exit(ExitCode.Environment);
    }
};

// Messages about a wrong command line end with this command, which shows the help of the command that was typed.
var help = $"{ThisProgram.Typed} --help";
try
{
    if (args is [ServeCommand.Name, .. var theServers])
        return ServeCommand.Run(theServers);

    if (args is [ProcessReaper.Command])
    {
        await ProcessReaper.RunAsync(Console.In);
        return ExitCode.Ok;
    }

    args = CommandTree.Meant(CompletionCommand.Spaced(args));

    // Response files are off: this program reads arguments that begin with @ itself.
    var typed = CommandTree.Create(args).Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
    if (typed.CommandResult.Command is not RootCommand)
        help = $"{ThisProgram.Typed} {typed.CommandResult.Command.Name} --help";
    if (typed.Action is ParseErrorAction)
    {
        Screen.Say($"{Redaction.Without(CommandTree.Complaint(typed), args)} ({help})");
        return ExitCode.Usage;
    }

    // This program starts again before an option's file is read, since the file may be a pipe, which can be read only once.
    if (typed.CommandResult is { Command: RootCommand or MeasuringCommand } measuring
        && measuring.GetValue<string>("--client-cpus") is { } cpus
        && Relaunch.Under(Parsers.Cpus(cpus, "--client-cpus"), args) is { } exit)
        return exit;

    // There is no ProcessTerminationTimeout, because the run handles Ctrl-C itself and keeps its measurements.
    var code = await typed.InvokeAsync(
        new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
    if (StandardOutput.Failure is not { } failure)
        return code;
    Screen.Say($"cannot write to standard output: {failure}");
    return code == ExitCode.Ok ? ExitCode.Environment : code;
}
catch (UsageException e)
{
    Screen.Say($"{e.Message} ({help})");
    return ExitCode.Usage;
}
catch (InputException e)
{
    Screen.Say(e.Message);
    return ExitCode.Usage;
}
catch (Exception e) when (e is EnvironmentException or SchemaException)
{
    Screen.Say(e.Message);
    return ExitCode.Environment;
}
