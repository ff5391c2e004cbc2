using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Lists the targets of a run, with marks that distinguish endpoints of the same kind.</summary>
internal static class TargetList
{
    /// <summary>The mark of the reference's second endpoint, when a run measures the reference against itself.</summary>
    private const string AgainstItself = "a/a";

    /// <summary>
    /// Returns the kinds of endpoints of a server that this tool starts: endpoints that serve gRPC, and endpoints that echo.
    /// </summary>
    public static (IReadOnlyList<string> Served, IReadOnlyList<string> Echo) Kinds(RunOptions options, Variant variant)
    {
        var kinds = variant.TransportsOf(options);
        var reference = ReferenceArm.OfTransports(options);
        if (options.AgainstItself && variant == options.Variants.First(one => one.TransportsOf(options).Contains(reference)))
            kinds = [.. kinds, reference];
        // A server that only echoes, or only starts children, also has one gRPC endpoint for its counters. This endpoint cannot be a
        // child process, which does not listen.
        var listening = kinds.FirstOrDefault(kind => !Address.Child.IsKind(kind));
        var control = listening ?? "tcp";
        if (variant.EchoAlone)
            return ([control], [.. kinds.Where(IsPlainSocket)]);
        var served = options.Protocols.All(protocol => protocol == ProtocolTable.Echo) ? [control]
            : listening is null ? [control, .. kinds] : kinds;
        return (served, options.Protocols.Contains(ProtocolTable.Echo) ? kinds : []);
    }

    /// <summary>True for a plain socket. With TLS, Kestrel encrypts above the socket. On Windows, a pipe is no socket.</summary>
    private static bool IsPlainSocket(string kind) => kind != "tls" && (kind != "pipe" || !OperatingSystem.IsWindows());

    /// <summary>Lists the targets on a server that this tool started.</summary>
    public static IEnumerable<Target> For(ChildServer server, Variant variant, RunOptions options)
    {
        var kinds = variant.TransportsOf(options);
        foreach (var protocol in variant.EchoAlone ? [ProtocolTable.Echo] : options.Protocols)
        {
            var seen = new HashSet<string>();
            foreach (var endpoint in server.Endpoints.Where(
                endpoint => endpoint.IsEcho == (protocol == ProtocolTable.Echo) && kinds.Contains(endpoint.Address.Kind)))
                yield return new Target(
                    endpoint.Address, variant, seen.Add(endpoint.Address.Kind) ? "" : AgainstItself, endpoint.Note, protocol);
        }
    }

    /// <summary>Lists the targets on the servers that the user gave. Calls MCP, HTTP and echo servers first.</summary>
    /// <exception cref="IOException">No server listens at an address.</exception>
    /// <exception cref="EnvironmentException">A server answers wrongly.</exception>
    public static async Task<IEnumerable<Target>> OfGivenAsync(RunOptions options, CancellationToken cancellation)
    {
        if (options.Tools.Count > 0)
            return await ToolTargets.ProbeAsync(options, cancellation);
        if (options.Http.Count > 0)
            return await HttpTargets.ProbeAsync(options, cancellation);
        var given = OfGiven(options).ToList();
        await EchoTargets.ProbeAsync(options, given, cancellation);
        return given;
    }

    /// <summary>Lists the targets on the servers that the user gave.</summary>
    public static IEnumerable<Target> OfGiven(RunOptions options)
    {
        foreach (var variant in options.Variants)
        {
            var numbers = new ArmNumbers();
            foreach (var address in options.Addresses)
            {
                var mark = numbers.Next(address.Kind);
                if (mark == ArmNumbers.Second && options.AgainstItself && address.Kind == ReferenceArm.OfAddresses(options))
                    mark = AgainstItself;
                var note = address is Address.Pipe ? NamedPipeConnector.Note : "";
                foreach (var protocol in options.Protocols)
                    yield return new Target(address, variant, mark, note, protocol);
            }
        }
    }
}
