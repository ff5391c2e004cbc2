using IpcBench.Analysis.Wording;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Calls the tool of each server once before the plan is made, to check the call and to learn the size of its reply.</summary>
internal static class ToolTargets
{
    // A program that is compiled when it starts takes several seconds.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <exception cref="EnvironmentException">A server does not answer, has no such tool, or its tool fails.</exception>
    public static async Task<IReadOnlyList<Target>> ProbeAsync(RunOptions options, CancellationToken cancellation)
    {
        var targets = new List<Target>();
        foreach (var arm in options.Tools)
            targets.Add(await WithinAsync(arm, async token => await ProbeAsync(options, arm, token), cancellation));
        return targets;
    }

    /// <summary>Prints the tools of the servers.</summary>
    public static async Task<int> ShowAsync(RunOptions options)
    {
        using var interruption = new Interruption();
        await using var children = new GivenChildren(new Dictionary<string, string?>());
        children.Offer(options);
        try
        {
            foreach (var arm in options.Tools)
            {
                var tools = await WithinAsync(arm, async token =>
                {
                    await using var client = await ToolClient.OpenAsync(arm, ConnectorOf(options), token);
                    return await client.ListAsync(token);
                }, interruption.Token);
                Console.Out.WriteLine($"{arm.Address}{arm.Path}");
                foreach (var tool in tools)
                {
                    Console.Out.WriteLine($"  {ServerWords.OneLine(ToolClient.NameOf(tool), [])}  "
                        + ServerWords.OneLine(ToolClient.TextOf(tool, "description"), [], longest: 100));
                    if (tool.TryGetProperty("inputSchema", out var schema))
                        Console.Out.WriteLine($"    {ServerWords.OneLine(schema.GetRawText(), [], longest: 400)}");
                }
            }
            return ExitCode.Ok;
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
        finally
        {
            await Children.EndAsync([.. options.Tools.Select(arm => arm.Address)]);
        }
    }

    private static async Task<Target> ProbeAsync(RunOptions options, ToolArm arm, CancellationToken cancellation)
    {
        await using var client = await ToolClient.OpenAsync(arm, ConnectorOf(options), cancellation);
        var call = new ToolCall(options.Tool!.Name ?? await OnlyAsync(client, arm, cancellation), options.Tool.Arguments);
        var size = await client.CallAsync(call, cancellation);
        var target = new Target(arm.Address, options.Variants[0], arm.Name, Protocol: ProtocolTable.JsonRpc, Tool: call, ReplySize: size);
        if (arm.Path is null)
            return target;
        var request = client.ToRequest(call);
        var load = new EngineOptions
        {
            Address = arm.Address,
            Size = 0,
            Connections = 1,
            Threads = 1,
            Timeout = options.Timeout,
        };
        var length = await HttpProbe.SizeAsync(load, ConnectorOf(options), request, cancellation);
        return target with { Protocol = ProtocolTable.Http1, Request = request with { Size = length } };
    }

    private static async Task<string> OnlyAsync(ToolClient client, ToolArm arm, CancellationToken cancellation) =>
        await client.ListAsync(cancellation) is var tools && tools is [var only] ? ToolClient.NameOf(only)
            : throw new EnvironmentException(tools.Count == 0 ? $"{arm.Address}{arm.Path} offers no tool"
                : $"{arm.Address}{arm.Path} offers {Quantity.Many(tools.Count, "tool")}: name one with --tool: "
                    + ServerWords.OneLine(string.Join(", ", tools.Select(ToolClient.NameOf)), [], longest: 400));

    private static ConnectorOptions ConnectorOf(RunOptions options) => options.Variants[0].Knobs.Connector(options.Connector);

    private static async Task<T> WithinAsync<T>(ToolArm arm, Func<CancellationToken, Task<T>> work, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(Patience);
        try
        {
            return await work(limit.Token).WaitAsync(limit.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new EnvironmentException($"{arm.Address}{arm.Path}: the server did not answer within {Patience.TotalSeconds:0} s"
                + LastWords(arm));
        }
        catch (IOException e)
        {
            throw new EnvironmentException(e.Message + LastWords(arm), e);
        }
    }

    private static string LastWords(ToolArm arm)
    {
        if (Children.Dead([arm.Address]) is not var (_, code, words))
            return "";
        var how = code is { } known ? $"it {ChildServer.HowItEnded(known)}: " : "";
        return $" ({how}{(words.Length > 0 ? words : "it wrote nothing")})";
    }
}
