using System.CommandLine;
using System.CommandLine.Invocation;
using IpcBench.Client;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Host;

using var console = Utf8Console.Enable();

try
{
    if (args is [ServeCommand.Name, .. var theServers])
        return ServeCommand.Run(theServers);

    // Response files are off: they would eat arguments that begin with @.
    var typed = CommandTree.Create(args).Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
    if (typed.Action is ParseErrorAction)
    {
        Console.Error.WriteLine($"{Secrets.Without(string.Join(" ", typed.Errors.Select(error => error.Message)), args)} (GrpcBench --help)");
        return ExitCode.Usage;
    }

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
