using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Starts this project's server, with <paramref name="streams"/> allowed streams per connection.</summary>
/// <param name="jsonRpc">True when the addresses of <paramref name="listen"/> also answer JSON-RPC.</param>
internal sealed class ChildServerCommand(
    IReadOnlyList<Address> listen, IReadOnlyList<Address> echo, bool jsonRpc, int streams, Knobs knobs, CpuSet? cpus,
    IReadOnlyDictionary<string, string?> hiddenVariables) : IServerCommand
{
    // The server's default of --max-streams.
    private const int UsualStreams = 100;

    public IReadOnlyList<Address> Addresses => [.. listen, .. echo];

    public Address? Probe => null;

    public string Name => "the server";

    /// <summary>Starts the server with redirected standard streams. The server ends when its standard input closes.</summary>
    public Process Start() => Start([]);

    /// <summary>Starts a process that serves one connection of this address. The process ends with this connection.</summary>
    /// <param name="end">
    /// Where the process finds its end of the connection (see <see cref="Children.Offer"/>). Null for its standard
    /// input and output.
    /// </param>
    public Process StartChild(Address.Child address, string? end) => Start(end is null
        ? ["--child", address.ToString()] : ["--child", address.ToString(), "--child-end", end]);

    private Process Start(IEnumerable<string> more)
    {
        var start = Locate(knobs.ServerBuild);
        foreach (var argument in Arguments().Concat(more))
            start.ArgumentList.Add(argument);
        if (knobs.ServerGc is { } gc)
            start.Environment["DOTNET_gcServer"] = gc == "server" ? "1" : "0";
        return ChildProcess.Start(start, hiddenVariables, cpus, Name);
    }

    /// <summary>Finds the server's program. Returns how to start the program, without arguments.</summary>
    /// <param name="build"><c>jit</c> or <c>aot</c>. Null means the build of this client.</param>
    /// <exception cref="EnvironmentException">The program is missing, or cannot run.</exception>
    internal static ProcessStartInfo Locate(string? build = null)
    {
        try
        {
            return ServerLocation.StartInfo(build);
        }
        catch (FileNotFoundException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    internal IEnumerable<string> Arguments()
    {
        yield return "--owned";
        foreach (var address in listen)
        {
            yield return "--listen";
            yield return address.ToString();
        }
        foreach (var address in echo)
        {
            yield return "--echo";
            yield return address.ToString();
        }
        if (jsonRpc)
            yield return "--jsonrpc";
        if (streams > UsualStreams)
        {
            yield return "--max-streams";
            yield return streams.ToString(CultureInfo.InvariantCulture);
        }
        foreach (var knob in Knob.All)
        {
            if (knob.ServerOption is not { } option || knob.Read(knobs) is not { } value)
                continue;
            yield return option;
            if (value != "on") // a server option that is either on or off has no value
                yield return value;
        }
    }
}
