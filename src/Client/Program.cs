using System.CommandLine;
using System.CommandLine.Invocation;
using IpcBench.Client;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Host;

using var console = Utf8Console.Enable();

// Response files are off: they would eat arguments that begin with @.
var root = CommandTree.Create(args);
var typed = root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
if (typed.Action is ParseErrorAction)
{
    Console.Error.WriteLine($"{Secrets.Without(string.Join(" ", typed.Errors.Select(error => error.Message)), args)} (GrpcBench --help)");
    return ExitCode.Usage;
}
try
{
    // Ctrl-C is the run's own business: it keeps what was measured.
    return await typed.InvokeAsync(new InvocationConfiguration { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
}
catch (UsageException e)
{
    Console.Error.WriteLine($"{e.Message} (GrpcBench --help)");
    return ExitCode.Usage;
}
catch (EnvironmentException e)
{
    Console.Error.WriteLine(e.Message);
    return ExitCode.Environment;
}
