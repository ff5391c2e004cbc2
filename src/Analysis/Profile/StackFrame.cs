namespace IpcBench.Analysis.Profile;

/// <summary>A frame of a sampled stack.</summary>
/// <param name="Module">The assembly without its file extension, the file of a native library, or the kernel.</param>
/// <param name="Function">The function with its namespace and type. <see cref="NoName"/> when only the module is known.</param>
public readonly record struct StackFrame(FrameKind Kind, string Module, string Function)
{
    /// <summary>The function of a frame of which only the module is known.</summary>
    public const string NoName = "?";

    public static StackFrame Kernel(string function) => new(FrameKind.Kernel, "kernel", function);

    /// <summary>
    /// The frame as text, for the patterns of <see cref="Stage"/> and for readers:
    /// <c>System.Net.Sockets!System.Net.Sockets.Socket.Send</c>.
    /// </summary>
    public string Text => $"{Module}!{Function}";
}
