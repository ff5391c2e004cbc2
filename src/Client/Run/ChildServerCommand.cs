using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// How an own server is started: its program, its endpoints, the streams of a connection that it must allow, and its knobs.
/// </summary>
internal sealed class ChildServerCommand(
    IReadOnlyList<Address> listen, IReadOnlyList<Address> echo, int streams, Knobs knobs, CpuSet? cpus,
    IReadOnlyDictionary<string, string?> hiddenVariables)
{
    // What the server allows by itself.
    private const int UsualStreams = 100;

    /// <summary>Where it is asked to listen; nobody else does.</summary>
    public IReadOnlyList<Address> Addresses => [.. listen, .. echo];

    /// <summary>Starts it with its standard streams redirected; it ends when its standard input closes.</summary>
    public Process Start()
    {
        var start = Locate();
        foreach (var argument in Arguments())
            start.ArgumentList.Add(argument);
        if (knobs.ServerGc is { } gc)
            start.Environment["DOTNET_gcServer"] = gc == "server" ? "1" : "0";

        // What this process set for its own runtime is no setting for the server.
        foreach (var (name, original) in hiddenVariables)
            start.Environment[name] = original;
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        start.UseShellExecute = false;
        start.CreateNoWindow = true;
        try
        {
            return Affinity.Start(start, cpus ?? Relaunch.CpusBefore());
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new EnvironmentException($"cannot start the server '{start.FileName}': {e.Message}", e);
        }
    }

    /// <summary>Its program, without arguments.</summary>
    /// <exception cref="EnvironmentException">It is not there, or nothing can run it.</exception>
    internal static ProcessStartInfo Locate()
    {
        try
        {
            return ServerLocation.StartInfo();
        }
        catch (FileNotFoundException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    /// <summary>The server's command line.</summary>
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
        if (streams > UsualStreams)
        {
            yield return "--max-streams";
            yield return streams.ToString(CultureInfo.InvariantCulture);
        }
        foreach (var knob in Knob.All.Where(knob => knob.IsServerOption))
        {
            if (knob.Read(knobs) is not { } value)
                continue;
            yield return "--" + knob.Name;
            if (value != "on") // the server's switches are on by being there
                yield return value;
        }
    }
}
