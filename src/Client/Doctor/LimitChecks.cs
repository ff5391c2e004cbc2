using System.Globalization;
using IpcBench.Host;
using static System.FormattableString;

namespace IpcBench.Client.Doctor;

/// <summary>Checks of limits that many connections can reach: files, accept queue, local ports, socket buffers.</summary>
internal static class LimitChecks
{
    public static Finding OpenFiles(DoctorFacts facts)
    {
        var (limit, connections) = (facts.OpenFiles, facts.Options.Connections);
        if (limit.Soft == long.MaxValue)
            return new("open-files", Level.Ok, "this system does not limit open files");
        if (limit.Allows(connections))
            return new("open-files", Level.Ok, Invariant($"{limit.Soft} open files are allowed, enough for {connections} connections"));
        var most = Math.Max(0, limit.Soft - OpenFileLimit.Reserve);
        return new("open-files", Level.Problem, Invariant($"{limit.Soft} open files are allowed, too few for {connections} connections"),
            "raise the hard limit (ulimit -Hn as root, LimitNOFILE= of a service, --ulimit nofile= of a container) "
            + Invariant($"or use -c {most} at most"));
    }

    public static Finding AcceptQueue(DoctorFacts facts)
    {
        var (system, connections) = (facts.Host.SoMaxConn, facts.Options.Connections);
        if (facts.Options.Backlog is not { } asked)
            return new("accept-queue", Level.Ok, "the server's own setting decides how many connections may wait to be accepted");
        var queue = system > 0 ? Math.Min(system, asked) : asked;
        if (connections <= queue)
            return new("accept-queue", Level.Ok, Invariant($"an accept queue of {queue} for {connections} connections"));
        var fix = system > 0 && system < asked && connections <= asked
            ? Invariant($"sysctl -w net.core.somaxconn={asked}")
            : Invariant($"start the server with --backlog {connections} and set net.core.somaxconn to {connections}");
        return new("accept-queue", Level.Warn,
            Invariant($"{connections} connections are more than the accept queue of {queue}: ")
            + "some connection attempts will be repeated", fix);
    }

    public static Finding Ports(DoctorFacts facts)
    {
        var (free, connections) = (facts.FreePorts, facts.Options.Connections);
        if (!facts.Options.Tcp)
            return new("ports", Level.Ok, "no connection needs a port");
        if (free == 0)
            return new("ports", Level.Ok, "the number of free local ports is unknown on this system");
        if (free >= connections)
            return new("ports", Level.Ok, Invariant($"{free} local ports are free"));
        return new("ports", Level.Problem, Invariant($"{free} local ports are free for {connections} TCP connections"),
            "sysctl -w net.ipv4.ip_local_port_range='1024 65535' (Windows: netsh int ipv4 set dynamicport tcp start=10000 num=55536), "
            + "wait a minute, or use fewer connections");
    }

    public static Finding SocketBuffers(DoctorFacts facts)
    {
        string[] settings = ["net.core.wmem_max", "net.core.rmem_max"];
        var limits = settings.Select(name => Number(facts, name)).Where(value => value > 0).ToList();
        if (limits.Count == 0)
            return new("socket-buffers", Level.Ok, "no limit of socket buffers is visible here");
        var smallest = limits.Min();
        if (facts.Options.SocketBuffer is { } asked && asked > smallest)
        {
            return new("socket-buffers", Level.Warn,
                Invariant($"socket buffers of {asked} bytes were requested, but the system's limit is {smallest}"),
                Invariant($"sysctl -w net.core.rmem_max={asked} net.core.wmem_max={asked}"));
        }
        return new("socket-buffers", Level.Ok, Invariant($"socket buffers may be set up to {smallest} bytes"));
    }

    private static long Number(DoctorFacts facts, string setting) =>
        long.TryParse(facts.Host.Settings.GetValueOrDefault(setting), CultureInfo.InvariantCulture, out var value) ? value : 0;
}

/// <summary>Checks of the client's build and the settings of its runtime.</summary>
internal static class RuntimeChecks
{
    public static Finding Build(DoctorFacts facts) => facts.DebugBuild
        ? new("build", Level.Warn, "this client was built without optimization, which makes it slow",
            "build and run the client with -c Release")
        : new("build", Level.Ok, "an optimized build");

    /// <summary>Warns when the client has Server GC. The client keeps few objects, so this GC would only cost memory and threads.</summary>
    public static Finding Gc(DoctorFacts facts) => facts.Host.GcMode.StartsWith("server", StringComparison.Ordinal)
        ? new("gc", Level.Warn, "the client runs with Server GC, which needs a heap and a thread for each CPU",
            "unset DOTNET_gcServer for the client; --server-gc is for the server")
        : new("gc", Level.Ok, $"the client's GC is {facts.Host.GcMode}; the report names the GC of each server");

    public static Finding Variables(DoctorFacts facts)
    {
        var moving = facts.Host.RuntimeVariables.Keys.ToList();
        return moving.Count == 0
            ? new("runtime-variables", Level.Ok, "no environment variable changes the runtime")
            : new("runtime-variables", Level.Warn, $"environment variables change the runtime: {string.Join(", ", moving)}",
                "unset these variables, unless you want to measure their effect");
    }
}
