using System.Text.Json;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Calls each server's tool before the plan is made (over HTTP twice), to check the call and learn the reply's size.</summary>
internal static class ToolTargets
{
    /// <exception cref="EnvironmentException">A server does not answer, has no such tool, or its tool fails.</exception>
    public static async Task<IReadOnlyList<Target>> ProbeAsync(RunOptions options, CancellationToken cancellation)
    {
        var targets = new List<Target>();
        foreach (var arm in options.Tools)
            targets.Add(await WithinAsync(arm, async token => await ProbeAsync(options, arm, token), cancellation));
        return [.. Compared(targets).SelectMany(target => options.Variants.Select(variant => target with { Variant = variant }))];
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
                var lines = await WithinAsync(arm, async token =>
                {
                    await using var client = await ToolClient.OpenAsync(arm, ConnectorOf(options), token);
                    return (await client.ListAsync(token)).SelectMany(Shown).ToList();
                }, interruption.Token);
                Console.Out.WriteLine($"{arm.Shown}");
                foreach (var line in lines)
                    Console.Out.WriteLine(line);
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

    private static IEnumerable<string> Shown(JsonElement tool)
    {
        yield return $"  {ServerWords.OneLine(ToolClient.NameOf(tool), [])}  "
            + ServerWords.OneLine(ToolClient.TextOf(tool, "description"), [], longest: 100);
        if (tool.TryGetProperty("inputSchema", out var schema))
            yield return $"    {ServerWords.OneLine(schema.GetRawText(), [], longest: 400)}";
    }

    private static async Task<Target> ProbeAsync(RunOptions options, ToolArm arm, CancellationToken cancellation)
    {
        await using var client = await ToolClient.OpenAsync(arm, ConnectorOf(options), cancellation);
        var call = new ToolCall(options.Tool!.Name ?? await OnlyAsync(client, arm, cancellation), options.Tool.Arguments);
        var size = await client.CallAsync(call, cancellation);
        var target = new Target(arm.Address, options.Variants[0], arm.Name, Protocol: ProtocolTable.JsonRpc, Tool: call, ReplySize: size);
        if (arm.Path is null)
            return target;
        var request = client.ToRequest(call, size);
        var length = await HttpTargets.SizeAsync(options, arm.Address, request, cancellation);
        return target with { Protocol = ProtocolTable.Http1, Request = request with { Size = length } };
    }

    /// <summary>Adds a note where the texts of the servers' first replies have different sizes.</summary>
    /// <exception cref="EnvironmentException">The tools have different names, so their calls are not compared.</exception>
    private static IReadOnlyList<Target> Compared(List<Target> targets)
    {
        var names = targets.Select(target => target.Tool!.Name).Distinct().ToList();
        if (names.Count > 1)
            throw new EnvironmentException($"the servers have different tools ({ServerWords.OneLine(string.Join(", ", names), [])}): "
                + "choose with --tool a tool that all servers have");
        var largest = targets.Max(target => target.ReplySize!.Value);
        return targets.ConvertAll(target => target.ReplySize == largest ? target : target with
        {
            Note = $"replies of {Quantity.Size(target.ReplySize!.Value)} here, {Quantity.Size(largest)} in another arm",
        });
    }

    private static async Task<string> OnlyAsync(ToolClient client, ToolArm arm, CancellationToken cancellation) =>
        await client.ListAsync(cancellation) is var tools && tools is [var only] ? ToolClient.NameOf(only)
            : throw new EnvironmentException(tools.Count == 0 ? $"{arm.Shown} offers no tool"
                : $"{arm.Shown} offers {Quantity.Many(tools.Count, "tool")}: name one with --tool: "
                    + ServerWords.OneLine(string.Join(", ", tools.Select(ToolClient.NameOf)), [], longest: 400));

    private static ConnectorOptions ConnectorOf(RunOptions options) => options.Variants[0].Knobs.Connector(options.Connector);

    private static async Task<T> WithinAsync<T>(ToolArm arm, Func<CancellationToken, Task<T>> work, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(PlannedCells.StartOfChild);
        try
        {
            return await work(limit.Token).WaitAsync(limit.Token);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new EnvironmentException($"{arm.Shown}: the server did not answer within {PlannedCells.StartOfChild.TotalSeconds:0} s"
                + LastWords(arm));
        }
        catch (IOException e)
        {
            throw new EnvironmentException(e.Message + LastWords(arm), e);
        }
        catch (InvalidOperationException e)
        {
            // A text or a character set that is not valid.
            throw new EnvironmentException($"{arm.Shown}: {e.Message}", e);
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
