using IpcBench.Server.Options;

namespace IpcBench.Server.Tests.Support;

/// <summary>Whose sockets the server has: what <c>--sockets</c> takes here.</summary>
internal static class Engines
{
    public static string[] All => OperatingSystem.IsLinux() ? ["loop", "dotnet"] : ["dotnet"];

    public static TheoryData<string> Theory => [.. All];

    /// <summary>Of a raw echo, which .NET's sockets may serve without Kestrel too.</summary>
    public static string[] OfEcho => [.. All, "bare"];

    public static SocketEngine Of(string sockets) => sockets switch
    {
        "loop" => SocketEngine.Loop,
        "bare" => SocketEngine.Bare,
        _ => SocketEngine.DotNet,
    };
}

/// <summary>A <see cref="HostileServer"/> on .NET's sockets.</summary>
public sealed class HostileDotNetServer() : HostileServer("dotnet");

/// <summary>A <see cref="HostileServer"/> on event loops.</summary>
public sealed class HostileLoopServer() : HostileServer("loop");
