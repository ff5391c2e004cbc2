using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace IpcBench.Client.Cli;

/// <summary>The library's help, followed by examples where a command has some.</summary>
internal sealed class HelpWithExamples(HelpAction inner) : SynchronousCommandLineAction
{
    private const string Examples = """
        Examples:
          GrpcBench                                   compare TCP, Unix socket and named pipe on this machine (about 9 minutes)
          GrpcBench --quick                           the same in under two minutes
          GrpcBench serve --listen unix:/tmp/greeter.sock   start the server alone, for another client to measure
          GrpcBench -U unix:/tmp/greeter.sock         measure a server that is already there, wrk-like
          GrpcBench -U unix:/run/app.sock --list      services and methods of a server that offers reflection
          GrpcBench -U unix:/run/app.sock --describe shop.Cart   a service and its messages as .proto text
          GrpcBench -U http://localhost:5000 -U unix:/tmp/greeter.sock -s 10,1M -c 1,64,400
          GrpcBench --transports tcp,tls --load 50%   what TLS costs, at full and at half load
          GrpcBench -R 20k --arrivals poisson -s 1k   open loop: latency from the intended start
          GrpcBench --rounds auto --delta 2%          go on until every difference of 2 % is decided
          GrpcBench http http://localhost:8080/ unix:/tmp/web.sock --path / -c 100 -d 10s   HTTP/1.1 like wrk, sockets too
          GrpcBench http a=http://localhost:81/ b=http://localhost:82/ -n 1000 -c 1         two servers against each other, like ab
          GrpcBench --connect-per-call both           what a connection for every call costs
          GrpcBench article --quick                   a published comparison again: which part of it is TLS, topology, transport
          GrpcBench echo --quick                      ping-pong without any protocol, and its ratio to TCP
          GrpcBench layers --quick                    which part of a gRPC call is the transport at all?

        """ + "\n" + ExitCodes;

    private const string ExitCodes = "Exit codes: 0 done, 1 usage, 2 machine or server (also: no call succeeded), 3 some calls failed, "
        + "4 a gate was crossed, 130 interrupted";

    public override int Invoke(ParseResult parseResult)
    {
        var result = inner.Invoke(parseResult);
        if (ExamplesOf(parseResult.CommandResult.Command) is { } examples)
            parseResult.InvocationConfiguration.Output.WriteLine(examples);
        return result;
    }

    private static string? ExamplesOf(Command command) =>
        command is RootCommand ? Examples : Presets.Commands.FirstOrDefault(preset => preset.Name == command.Name)?.Examples;
}
