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
        return [.. asked.Select(arm =>
            new Target(arm.Address, options.Variants[0], arm.Name, Note(arm, largest), ProtocolTable.Http1, arm.Request))];
    }

    /// <summary>Sends one request, and returns the length of its reply's body in bytes.</summary>
    /// <inheritdoc cref="ProbeAsync" path="/exception"/>
    public static async Task<long> SizeAsync(RunOptions options, Address address, HttpRequest request, CancellationToken cancellation)
    {
        var load = new EngineOptions
        {
            Address = address,
            Size = 0,
            Connections = 1,
            Threads = 1,
            Timeout = options.Timeout,
        };
        try
        {
            return await HttpProbe.SizeAsync(load, options.Variants[0].Knobs.Connector(options.Connector), request, cancellation);
        }
        catch (IOException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

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
