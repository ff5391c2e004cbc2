using System.Globalization;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Sends one request for each HTTP/1.1 arm before the plan is made, to learn the size of the reply.</summary>
internal static class HttpTargets
{
    /// <exception cref="EnvironmentException">A server does not answer, or answers with an error.</exception>
    public static async Task<IReadOnlyList<Target>> ProbeAsync(RunOptions options, CancellationToken cancellation)
    {
        var asked = new List<HttpArm>();
        foreach (var arm in options.Http)
            asked.Add(arm with { Request = arm.Request with { Size = await SizeAsync(options, arm.Address, arm.Request, cancellation) } });
        var largest = asked.Max(arm => arm.Request.Size);
        return [.. from arm in asked
            from variant in options.Variants
            select new Target(arm.Address, variant, arm.Name, Note(arm, largest), ProtocolTable.Http1, arm.Request)];
    }

    /// <summary>Sends one request, and returns the length of its reply's body in bytes.</summary>
    /// <inheritdoc cref="ProbeAsync" path="/exception"/>
    public static async Task<long> SizeAsync(RunOptions options, Address address, HttpRequest request, CancellationToken cancellation)
    {
        try
        {
            return await SizeAsync(new LoadOptions
            {
                Address = address,
                Size = 0,
                Connections = 1,
                Threads = 1,
                Timeout = options.Timeout,
                Protocol = ProtocolTable.Http1,
                Connector = options.Variants[0].Knobs.Connector(options.Connector),
                Request = request,
            }, cancellation);
        }
        catch (IOException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    /// <exception cref="IOException">The server did not answer, or answered with an error. The message is one sentence.</exception>
    internal static async Task<long> SizeAsync(LoadOptions load, CancellationToken cancellation)
    {
        var asked = load.Request!;
        var source = await ProtocolTable.ConnectionsAsync(
            load with { Request = asked with { VaryingLength = true, Payload = null } }, cancellation);
        await using var generator = await LoadGenerator.OpenAsync(load, source, cancellation);
        var result = await generator.RunAsync(new LoadWindow { Calls = 1 }, cancellation);
        cancellation.ThrowIfCancellationRequested();
        return result.Ok == 1 ? result.Replies.Largest : throw new IOException($"{asked.Url} {Why(result, load, asked)}");
    }

    private static string Why(LoadResult result, EngineOptions load, HttpRequest asked) => result.Failed.Keys.FirstOrDefault() switch
    {
        null => string.Create(CultureInfo.InvariantCulture,
            $"accepts connections but gave no reply within {load.Timeout.TotalSeconds:0.###} s (--timeout)"),
        FailureKind.Protocol => "does not answer in HTTP/1.1",
        FailureKind.ConnectionLost => "closed the connection before the reply was complete",
        { } redirect when FailureKind.IsRedirect(redirect) => $"answers {redirect}, a redirect: "
            + "measure the target of the redirect" + Option(asked),
        var status => $"answers {status}: the request must succeed, so check the path, the headers and the server's log" + Option(asked),
    };

    // The command mcp has no such option: a reply of another status carries no result of a tool.
    private static string Option(HttpRequest asked) => asked.Payload is null ? ", or accept the status with --expect-status" : "";

    private static string Note(HttpArm arm, long largest)
    {
        string[] notes =
        [
            arm.Address is Address.Pipe ? NamedPipeConnector.Note : "",
            arm.Request.Size == largest
                ? ""
                : $"replies of {Quantity.Size(arm.Request.Size)} here, {Quantity.Size(largest)} in another arm",
        ];
        return string.Join("; ", notes.Where(note => note.Length > 0));
    }
}
