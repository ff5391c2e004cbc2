using System.Reflection;
using System.Runtime;
using System.Runtime.InteropServices;
using IpcBench.Host;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Services;

/// <summary>Answers <c>Control.Describe</c>: the versions, limits, endpoints and settings of this server.</summary>
internal static class Describer
{
    /// <summary>The version of this program, with its commit.</summary>
    public static string Version { get; } =
        typeof(Describer).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "unknown";

    public static DescribeReply Describe(
        IGrpcStack stack, ServerOptions options, long maxConnections, IReadOnlyList<ServerEndpoint> endpoints)
    {
        var reply = new DescribeReply
        {
            Stack = stack.Name,
            StackVersion = stack.Version,
            Version = Version,
            Runtime = RuntimeInformation.FrameworkDescription,
            Os = RuntimeInformation.OSDescription,
            ServerGc = GCSettings.IsServerGC,
            ConcurrentGc = GCSettings.LatencyMode != GCLatencyMode.Batch,
            Processors = Environment.ProcessorCount,
            ProcessId = Environment.ProcessId,
            Limits = new Limits { MaxSize = options.MaxSize, MaxStreams = options.MaxStreams, MaxConnections = maxConnections },
        };
        reply.Endpoints.Add(endpoints.Select(endpoint => new Protocol.V1.Endpoint
        {
            Address = endpoint.Address.ToString(),
            Kind = endpoint.Address.Kind,
            Note = endpoint.Note ?? "",
            Protocol = endpoint.IsEcho ? "echo" : "grpc",
        }));
        AddSettings(reply, options, endpoints);
        return reply;
    }

    private static void AddSettings(DescribeReply reply, ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints)
    {
        var settings = reply.Settings;
        foreach (var (name, value) in options.Settings())
            settings[name] = value;
        if (endpoints.Any(endpoint => endpoint.IsEcho))
            settings["echo-sockets"] = string.Join(
                ' ', endpoints.Where(endpoint => endpoint.IsEcho).Select(endpoint => EngineOf(endpoint, options)).Distinct());
        if (RuntimeFacts.IsCompiledAhead)
            settings["build"] = "aot";
        foreach (var (name, value) in RuntimeFacts.Variables(Environment.GetEnvironmentVariables()))
            settings[RuntimeVariables.SettingPrefix + name] = value;
    }

    private static string EngineOf(ServerEndpoint endpoint, ServerOptions options) =>
        !endpoint.IsWithoutKestrel ? "dotnet" : options.Sockets == SocketEngine.Bare || !EventLoop.IsSupported ? "bare" : "loop";
}
