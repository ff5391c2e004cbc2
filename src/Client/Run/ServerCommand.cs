using System.Diagnostics;
using IpcBench.Client.Cli;
using IpcBench.Client.Machine;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>How an own server is started: its program, its endpoints and its knobs.</summary>
internal sealed class ServerCommand(IReadOnlyList<Address> listen, Knobs knobs, CpuSet? cpus, IReadOnlyDictionary<string, string?> hiddenVariables)
{
    /// <summary>Starts it with its standard streams redirected; it ends when its standard input closes.</summary>
    public Process Start()
    {
        var start = Locate();
        start.ArgumentList.Add("--owned");
        foreach (var address in listen)
            Add(start, "--listen", address.ToString());
        foreach (var knob in Knob.All.Where(knob => knob.OnServer))
        {
            if (knob.Read(knobs) is { } value)
                Add(start, "--" + knob.Name, value);
        }
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
            return Affinity.Start(start, cpus);
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new EnvironmentException($"cannot start the server '{start.FileName}': {e.Message}", e);
        }
    }

    private static ProcessStartInfo Locate()
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

    private static void Add(ProcessStartInfo start, string option, string value)
    {
        start.ArgumentList.Add(option);
        start.ArgumentList.Add(value);
    }
}
