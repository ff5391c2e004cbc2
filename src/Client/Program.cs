using System.CommandLine;
using System.CommandLine.Invocation;
using System.Runtime.InteropServices;
using IpcBench.Client;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Terminal;
using IpcBench.Host;
using IpcBench.Schema;

using var console = Utf8Console.Enable();
StandardOutput.Guard();

// A file that would outgrow its limit (ulimit -f) is an error of the write, not the end of the process (SIGXFSZ, signal(7)).
using var fileSize = OperatingSystem.IsLinux()
    ? PosixSignalRegistration.Create((PosixSignal)25, static signal => signal.Cancel = true)
    : null;

// Where the command that was typed is explained.
var help = $"{ThisProgram.Typed} --help";
try
{
    if (args is [ServeCommand.Name, .. var theServers])
        return ServeCommand.Run(theServers);

    args = CommandTree.Meant(CompletionCommand.Spaced(args));

    // Response files are off: they would eat arguments that begin with @.
    var typed = CommandTree.Create(args).Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
    if (typed.CommandResult.Command is not RootCommand)
        help = $"{ThisProgram.Typed} {typed.CommandResult.Command.Name} --help";
    if (typed.Action is ParseErrorAction)
    {
        Screen.Say($"{Redaction.Without(CommandTree.Complaint(typed), args)} ({help})");
        return ExitCode.Usage;
    }

    // The run handles Ctrl-C itself: it keeps what was measured.
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
