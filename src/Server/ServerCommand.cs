using System.CommandLine;
using System.Text;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.Options;

namespace IpcBench.Server;

/// <summary>The program: its command line to <see cref="ServerOptions"/>, errors to a sentence and an exit code.</summary>
internal static class ServerCommand
{
    private const int UsageError = 1;
    private const int EnvironmentError = 2;
    private const string Help = "GrpcBenchServer --help";

    private static readonly RootCommand Root = Create();

    /// <summary>Parses, serves until told to stop, and returns the exit code.</summary>
    public static async Task<int> RunAsync(string[] args)
    {
        SpeakUtf8();
        var parsed = Root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
        {
            await Console.Error.WriteLineAsync($"{Complaint(parsed)} ({Help})");
            return UsageError;
        }
        // No handler of its own for signals: this program has one, and it must remove socket files.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = null });
    }

    /// <summary>
    /// Whoever reads a file or pipe of ours reads UTF-8, as the client does: in a console's code page (Windows: one of its own for a child
    /// without a window) or the locale's, an address with an umlaut in its path would be another.
    /// </summary>
    private static void SpeakUtf8()
    {
        var plain = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        if (Console.IsOutputRedirected)
            Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), plain) { AutoFlush = true });
        if (Console.IsErrorRedirected)
            Console.SetError(new StreamWriter(Console.OpenStandardError(), plain) { AutoFlush = true });
    }

    /// <summary>What is wrong with what was typed.</summary>
    private static string Complaint(ParseResult parsed) =>
        parsed.UnmatchedTokens.FirstOrDefault(token => token is ['-', _, ..]) is { } option ? $"there is no option {option.Split('=')[0]}"
            : string.Join("; ", parsed.Errors.Select(error => error.Message.TrimEnd('.')));

    private static RootCommand Create()
    {
        var root = new RootCommand("Serves the Bench and Control services on every local transport at once.");
        var stack = ServerArguments.Stack;
        stack.DefaultValueFactory = _ => Stacks.Default;
        stack.CompletionSources.Add([.. Stacks.Names]);
        stack.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string>() is { } name && !Stacks.Names.Contains(name))
                result.AddError(Stacks.Unknown(name));
        });
        foreach (var option in ServerArguments.All)
            root.Options.Add(option);
        root.SetAction((parsed, _) => ServeAsync(ServerArguments.Read(parsed)));
        return root;
    }

    private static async Task<int> ServeAsync(ServerOptions options)
    {
        // Before anything else is loaded: each part of the program is an open file.
        if (KestrelLimits.TooFewFiles() is { } tooFew)
        {
            await Console.Error.WriteLineAsync(tooFew);
            return EnvironmentError;
        }
        try
        {
            return await ServerLifetime.RunAsync(options);
        }
        catch (CannotListenException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return EnvironmentError;
        }
        catch (FormatException e)
        {
            await Console.Error.WriteLineAsync($"{e.Message} ({Help})");
            return UsageError;
        }
    }
}
