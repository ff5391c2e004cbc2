using IpcBench.Server.Options;

namespace IpcBench.Server.Tests.Support;

/// <summary>Whose sockets the server has: what <c>--sockets</c> takes here.</summary>
internal static class Engines
{
    public static string[] All => OperatingSystem.IsLinux() ? ["loop", "dotnet"] : ["dotnet"];

    public static TheoryData<string> Theory => [.. All];

    public static SocketEngine Of(string sockets) => sockets == "loop" ? SocketEngine.Loop : SocketEngine.DotNet;
}

/// <summary>A <see cref="HostileServer"/> on .NET's sockets.</summary>
public sealed class HostileDotNetServer() : HostileServer("dotnet");

/// <summary>A <see cref="HostileServer"/> on event loops.</summary>
public sealed class HostileLoopServer() : HostileServer("loop");
