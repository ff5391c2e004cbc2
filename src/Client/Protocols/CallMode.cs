using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;

namespace IpcBench.Client.Protocols;

/// <summary>The kinds of gRPC calls, which are the values of the option <c>--mode</c>.</summary>
internal static class CallMode
{
    /// <summary>A small request and a reply with the payload. Calls of other protocols have this mode too.</summary>
    public const string Unary = "unary";

    /// <summary>A request with the payload and a small reply.</summary>
    public const string Upload = "upload";

    /// <summary>Messages on a stream that stays open. The server answers each message before the next message is sent.</summary>
    public const string PingPong = "ping-pong";

    /// <summary>Messages to the server on a stream that stays open, as fast as the server accepts them.</summary>
    public const string Push = "push";

    /// <summary>Messages from the server on a stream that stays open.</summary>
    public const string Pull = "pull";

    public static IReadOnlyList<string> All { get; } = [Unary, Upload, PingPong, Push, Pull];

    /// <summary>Returns the mode of a user's method, which follows from the method's type.</summary>
    public static string For(GrpcCall call) => (call.TakesStream, call.ReturnsStream) switch
    {
        (true, true) => PingPong,
        (true, false) => Push,
        (false, true) => Pull,
        _ => Unary,
    };

    /// <summary>True when a call is a message on a stream that stays open after the call.</summary>
    public static bool IsStream(string mode) => mode is PingPong or Push or Pull;

    public static Flow FlowOf(string mode) => mode switch
    {
        Push => Flow.Out,
        Pull => Flow.In,
        _ => Flow.Both,
    };

    /// <summary>Returns the method of this project's own service for a mode, in the form <c>package.Service/Method</c>.</summary>
    public static string MethodOf(string mode) => "ipcbench.v1.Bench/" + mode switch
    {
        Upload => "Upload",
        PingPong => "Echo",
        Push => "Push",
        Pull => "Pull",
        _ => "Download",
    };
}
