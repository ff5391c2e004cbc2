using System.CommandLine;
using System.Text;
using IpcBench.Host;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.Options;

namespace IpcBench.Server;

/// <summary>The program: turns the command line into <see cref="ServerOptions"/>, and errors into a sentence and an exit code.</summary>
internal static class ServerCommand
{
    private const int UsageError = 1;
    private const int EnvironmentError = 2;
    private const string Help = "GrpcBenchServer --help";

    private static readonly RootCommand Root = Create();

    /// <summary>
    /// Parses the command line, serves until a signal or the owner ends the server, and returns the exit code.
    /// </summary>
    public static async Task<int> RunAsync(string[] args)
    {
        SpeakUtf8();
        var parsed = Root.Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
        {
            await Console.Error.WriteLineAsync($"{Complaint(parsed)} ({Help})");
            return UsageError;
        }
        // System.CommandLine's signal handler is switched off, because this program has its own, which removes socket files.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = null });
    }

    /// <summary>
    /// Writes output to a file or pipe in UTF-8, which the client expects. Otherwise .NET would use the code page of a
    /// console (Windows gives one to a child without a window) or the encoding of the locale. The address of a path with
    /// an umlaut would then become another address.
    /// </summary>
    private static void SpeakUtf8()
    {
        var plain = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        if (Console.IsOutputRedirected)
            Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), plain) { AutoFlush = true });
        if (Console.IsErrorRedirected)
            Console.SetError(new StreamWriter(Console.OpenStandardError(), plain) { AutoFlush = true });
    }

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
        // The limit of open files is checked before more code is loaded, because each loaded file needs a descriptor.
        if (options.Child is null && KestrelLimits.TooFewFiles() is { } tooFew)
        {
            await Console.Error.WriteLineAsync(tooFew);
            return EnvironmentError;
        }
        if (options.Inline)
            CompletionThreads.Inline();
        try
        {
            return await (options.Child is { } child ? ChildLifetime.RunAsync(child, options) : ServerLifetime.RunAsync(options));
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
