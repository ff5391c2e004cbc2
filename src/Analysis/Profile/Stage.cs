using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace IpcBench.Analysis.Profile;

/// <summary>A stage of a server's work, to which samples of its CPU time belong.</summary>
/// <param name="Name">The name in reports and results files.</param>
/// <param name="Frames">
/// Matches the text of frames of this stage (<see cref="StackFrame.Text"/>; in the kernel, the function). Null when no
/// frame decides.
/// </param>
/// <param name="Threads">
/// Matches the names of threads whose remaining samples belong to this stage. Null when no thread decides.
/// </param>
public sealed partial record Stage(string Name, Regex? Frames = null, Regex? Threads = null)
{
    /// <summary>
    /// Stages of the kernel. Each stage except the last is a group of system calls. A frame of the kernel shows the
    /// system call by its name.
    /// </summary>
    private static readonly Stage[] Kernel =
    [
        new("kernel: send", Sends()),
        new("kernel: receive", Receives()),
        new("kernel: wait and wake", Waits()),
        new("kernel: other"),
    ];

    /// <summary>
    /// Stages outside the kernel. The innermost frame that matches a stage decides. If this frame matches several
    /// stages, the first of them counts. Code of .NET's libraries that matches no stage belongs to the stage of its
    /// caller.
    /// </summary>
    private static readonly Stage[] Runtime =
    [
        new("compilation", Compilers(), CompilerThreads()),
        new("GC and runtime", Runtimes(), RuntimeThreads()),
    ];

    private static readonly Stage[] User =
    [
        new("TLS", Tls()),
        new("sockets", Sockets(), SocketThreads()),
        new("transport and pipes", Pipes()),
        new("HTTP", Http()),
        new("gRPC and serialization", Grpc()),
        new("thread pool", Pools(), PoolThreads()),
        new("handler", Handlers()),
    ];

    private static readonly Stage Program = new("program"), Rest = new("the rest");

    /// <summary>All stages in the order of reports.</summary>
    public static IReadOnlyList<Stage> All { get; } = [.. Kernel, .. User, .. Runtime, Program, Rest];

    // The stage of each frame seen so far. A server has some thousand different frames, but millions of samples.
    private static readonly ConcurrentDictionary<StackFrame, Stage?> Known = [];

    /// <summary>Finds the stage to which a sample belongs.</summary>
    /// <param name="thread">The name that the kernel has for the thread.</param>
    /// <param name="stack">The frames, the innermost first.</param>
    /// <param name="isDotnet">
    /// False for a process that is not .NET or was compiled ahead. All its samples outside the kernel then belong to one stage.
    /// </param>
    public static Stage Classify(string thread, IReadOnlyList<StackFrame> stack, bool isDotnet)
    {
        if (stack is [{ Kind: FrameKind.Kernel }, ..])
        {
            var kernel = stack.TakeWhile(frame => frame.Kind == FrameKind.Kernel).ToList();
            return Kernel.First(stage => stage.Frames is null || kernel.Exists(frame => stage.Frames.IsMatch(frame.Function)));
        }
        if (!isDotnet)
            return Program;
        if (Runtime[0].Threads!.IsMatch(thread))
            return Runtime[0];
        var isNative = true;
        foreach (var frame in stack)
        {
            isNative &= frame.Kind == FrameKind.Native;
            // The runtime starts every thread, so its frames are in every stack. They count only if they are further
            // inside than all managed frames.
            if ((isNative || frame.Kind == FrameKind.Managed) && Known.GetOrAdd(frame, Find) is { } found)
                return found;
        }
        return All.FirstOrDefault(stage => stage.Threads?.IsMatch(thread) == true) ?? Rest;
    }

    // Only the native libraries of the runtime and of TLS have stages. All other native libraries work for their callers.
    private static Stage? Find(StackFrame frame) => (frame.Kind == FrameKind.Managed ? User : [.. Runtime, User[0]])
        .FirstOrDefault(stage => stage.Frames?.IsMatch(frame.Text) == true);

    // The patterns are generated as code, because the interpreter of patterns would make the compiled-ahead client larger.
    [GeneratedRegex(@"sys_send|sock_(send|write)|unix_stream_sendmsg|tcp_sendmsg", RegexOptions.CultureInvariant)]
    private static partial Regex Sends();

    [GeneratedRegex(@"sys_recv|sock_(recv|read)|unix_stream_recvmsg|tcp_recvmsg", RegexOptions.CultureInvariant)]
    private static partial Regex Receives();

    [GeneratedRegex(@"epoll|sys_futex|do_futex|sys_p?poll|sys_p?select|sys_io_uring|sched_yield|nanosleep", RegexOptions.CultureInvariant)]
    private static partial Regex Waits();

    [GeneratedRegex(@"^libclrjit\b", RegexOptions.CultureInvariant)]
    private static partial Regex Compilers();

    [GeneratedRegex(@"^\.NET Tiered", RegexOptions.CultureInvariant)]
    private static partial Regex CompilerThreads();

    [GeneratedRegex(@"^lib(coreclr|clrgc)\b", RegexOptions.CultureInvariant)]
    private static partial Regex Runtimes();

    [GeneratedRegex(@"GC\b|^\.NET (Final|Synch|EventP|SigH)", RegexOptions.CultureInvariant)]
    private static partial Regex RuntimeThreads();

    [GeneratedRegex(@"^System\.(Net\.Security|Security\.)|^lib(ssl|crypto)\b|^libSystem\.Security", RegexOptions.CultureInvariant)]
    private static partial Regex Tls();

    [GeneratedRegex(@"^System\.Net\.Sockets!|^IpcBench\.(Transports|LoopSockets)!", RegexOptions.CultureInvariant)]
    private static partial Regex Sockets();

    [GeneratedRegex(@"^\.NET Socket", RegexOptions.CultureInvariant)]
    private static partial Regex SocketThreads();

    [GeneratedRegex(@"^System\.IO\.Pipelines!|^Microsoft\.AspNetCore\.(Server\.Kestrel\.Transport|Connections)|\bConcurrentPipeWriter\b",
        RegexOptions.CultureInvariant)]
    private static partial Regex Pipes();

    [GeneratedRegex(@"^Microsoft\.(AspNetCore|Net\.Http)\b|^System\.Net\.Http!", RegexOptions.CultureInvariant)]
    private static partial Regex Http();

    [GeneratedRegex(@"^(Grpc\.|Google\.Protobuf|protobuf-net|System\.Text\.Json|IpcBench\.(Protocol|Http2)!)"
        + @"|^GrpcBenchServer!(?!IpcBench\.Server\.(Behaviors|Echo)\.)", RegexOptions.CultureInvariant)]
    private static partial Regex Grpc();

    [GeneratedRegex(@"!System\.Threading\.(\w*ThreadPool|Thread\b|WorkStealing|LowLevel|TimerQueue)", RegexOptions.CultureInvariant)]
    private static partial Regex Pools();

    [GeneratedRegex(@"^\.NET (TP|ThreadPool)", RegexOptions.CultureInvariant)]
    private static partial Regex PoolThreads();

    [GeneratedRegex(@"^(?!System\b|Microsoft\.|mscorlib!|netstandard!|stub!)", RegexOptions.CultureInvariant)]
    private static partial Regex Handlers();
}
