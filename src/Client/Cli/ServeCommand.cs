using System.CommandLine;
using IpcBench.Client.Run;
using IpcBench.Host;

namespace IpcBench.Client.Cli;

/// <summary><c>GrpcBench serve</c>: the server alone. What follows the name, the signals and the exit code are the server's own.</summary>
internal static class ServeCommand
{
    public const string Name = "serve";

    /// <summary>For the list of commands in the help; a line that begins with the name never gets to the parser.</summary>
    public static Command Create() => new(Name, "Start the server alone, until Ctrl-C; its options: GrpcBench serve --help");

    /// <summary>This process becomes the server and the call does not return; on Windows it waits for the server's exit code.</summary>
    /// <exception cref="EnvironmentException">The server is not there, or nothing can run it.</exception>
    public static int Run(IEnumerable<string> arguments)
    {
        var start = ChildServerCommand.Locate();
        foreach (var argument in arguments)
            start.ArgumentList.Add(argument);
        return OperatingSystem.IsWindows() ? Relaunch.RunChild(start, cpus: null) : Relaunch.Replace(start);
    }
}
