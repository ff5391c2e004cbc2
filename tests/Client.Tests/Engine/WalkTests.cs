using System.Diagnostics;
using System.Runtime.Versioning;
using System.Text.RegularExpressions;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks that the walk of a call in docs/architecture.md is the path that the code takes.</summary>
public class WalkTests
{
    [Fact]
    [SupportedOSPlatform("linux")]
    public async Task The_methods_on_the_stack_at_the_end_of_a_call_follow_the_order_of_the_documented_walk()
    {
        Assert.SkipUnless(EventLoop.IsSupported, "the event loop stands on epoll");
        await using var server = new FakeServer();
        var source = await ProtocolTable.ConnectionsAsync(TestLoad.Options(server.Address), CancellationToken.None);
        using var scheduler = new LoopScheduler(0);
        var ended = new TaskCompletionSource<StackTrace>(TaskCreationOptions.RunContinuationsAsynchronously);
        await scheduler.RunAsync(async () =>
        {
            var connection = source.Make(scheduler);
            await connection.OpenAsync(CancellationToken.None);
            connection.SetAccepting(true);
            Assert.True(await connection.Streams[0].ReadyAsync());
            var call = connection.Streams[0].CallAsync(MonotonicClock.NowNs).ConfigureAwait(false).GetAwaiter();
            call.UnsafeOnCompleted(() => ended.SetResult(new StackTrace()));
        }).WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);

        var stack = await ended.Task.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
        var taken = stack.GetFrames().Reverse().Select(Name).Where(name => name.Length > 0).ToList();
        var map = Walk();
        // The JIT compiler may inline one method into another, so a stack may lack hops of the map. From its first hop
        // on, a stack has no other methods.
        Assert.True(taken.Count(map.Contains) >= 3, string.Join(", ", taken));
        Assert.Equal(map.Where(taken.Contains), taken.SkipWhile(name => !map.Contains(name)).Distinct());
    }

    // Returns such a name as "EventLoop.Sleep" for a method of this project, and "" for any other method. The name of an explicit
    // implementation begins with its interface, which is cut off.
    private static string Name(StackFrame frame) => frame.GetMethod() is { DeclaringType: { } type } method
        && type.Namespace is { } room && room.StartsWith("IpcBench.", StringComparison.Ordinal) && !room.Contains("Tests")
        && !type.Name.Contains('<') && !method.Name.Contains('<') ? $"{type.Name}.{method.Name.Split('.')[^1]}" : "";

    private static List<string> Walk()
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "architecture.md"));
        var from = text.IndexOf("### The walk of a call", StringComparison.Ordinal);
        var part = text[from..text.IndexOf("\n## ", from, StringComparison.Ordinal)];
        return [.. Regex.Matches(part, @"^\d+\. `(\w+\.\w+)`", RegexOptions.Multiline).Select(match => match.Groups[1].Value)];
    }
}
