using IpcBench.Server.Options;

namespace IpcBench.Server.Tests.Support;

/// <summary>The values of <c>--sockets</c> on this system.</summary>
internal static class Engines
{
    public static string[] All => OperatingSystem.IsLinux() ? ["loop", "dotnet"] : ["dotnet"];

    public static TheoryData<string> Theory => [.. All];

    /// <summary>The values for a raw echo, which .NET's sockets can also serve without Kestrel.</summary>
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
