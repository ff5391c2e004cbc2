using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace IpcBench.Analysis.Profile;

/// <summary>A stage of a server's work, to which samples of its CPU time belong.</summary>
/// <param name="Name">The name, as reports and results files have it.</param>
/// <param name="Frames">Fits the text of a frame of this stage (<see cref="StackFrame.Text"/>). Empty when no frame decides.</param>
/// <param name="Threads">Fits the names of threads whose remaining time belongs to this stage. Empty when no thread decides.</param>
public sealed record Stage(string Name, string Frames, string Threads = "")
{
    /// <summary>Stages of the kernel. All of them but the last are system calls, which one of the kernel's frames names.</summary>
    private static readonly Stage[] Kernel =
    [
        new("kernel: send", @"sys_send|sock_(send|write)|unix_stream_sendmsg|tcp_sendmsg"),
        new("kernel: receive", @"sys_recv|sock_(recv|read)|unix_stream_recvmsg|tcp_recvmsg"),
        new("kernel: wait and wake", @"epoll|sys_futex|do_futex|sys_p?poll|sys_p?select|sys_io_uring|sched_yield|nanosleep"),
        new("kernel: other", ""),
    ];

    /// <summary>
    /// Stages outside the kernel. The innermost frame that fits one of them decides, and for that frame the first stage that
    /// fits. Code of .NET's libraries that fits none belongs to its caller.
    /// </summary>
    private static readonly Stage[] Runtime =
    [
        new("compilation", @"^libclrjit\b", @"^\.NET Tiered"),
        new("GC and runtime", @"^lib(coreclr|clrgc)\b", @"GC\b|^\.NET (Final|Synch|EventP|SigH)"),
    ];

    private static readonly Stage[] User =
    [
        new("TLS", @"^System\.(Net\.Security|Security\.)|^lib(ssl|crypto)\b|^libSystem\.Security"),
        new("sockets", @"^System\.Net\.Sockets!|^IpcBench\.(Transports|LoopSockets)!", @"^\.NET Socket"),
        new("transport and pipes",
            @"^System\.IO\.Pipelines!|^Microsoft\.AspNetCore\.(Server\.Kestrel\.Transport|Connections)|\bConcurrentPipeWriter\b"),
        new("HTTP", @"^Microsoft\.(AspNetCore|Net\.Http)\b|^System\.Net\.Http!"),
        new("gRPC and serialization", @"^(Grpc\.|Google\.Protobuf|protobuf-net|System\.Text\.Json|IpcBench\.(Protocol|Http2)!)"
            + @"|^GrpcBenchServer!(?!IpcBench\.Server\.(Behaviors|Echo)\.)"),
        new("thread pool", @"!System\.Threading\.(\w*ThreadPool|Thread\b|WorkStealing|LowLevel|TimerQueue)", @"^\.NET (TP|ThreadPool)"),
        new("handler", @"^(?!System\b|Microsoft\.|mscorlib!|netstandard!|stub!)"),
    ];

    private static readonly Stage Program = new("program", ""), Rest = new("the rest", "");

    /// <summary>All stages in the order of reports.</summary>
    public static IReadOnlyList<Stage> All { get; } = [.. Kernel, .. User, .. Runtime, Program, Rest];

    // The stages of frames that were seen. A server has some thousand different frames, and millions of samples.
    private static readonly ConcurrentDictionary<StackFrame, Stage?> Known = [];

    private readonly Regex? frames = Frames.Length == 0 ? null : new(Frames, RegexOptions.CultureInvariant);
    private readonly Regex? threads = Threads.Length == 0 ? null : new(Threads, RegexOptions.CultureInvariant);

    /// <summary>Finds the stage to which a sample belongs.</summary>
    /// <param name="thread">The name of the thread, as the kernel has it.</param>
    /// <param name="stack">The frames, the innermost first.</param>
    /// <param name="isDotnet">False for a process that is not .NET, or was compiled ahead: outside the kernel it has one stage.</param>
    public static Stage Of(string thread, IReadOnlyList<StackFrame> stack, bool isDotnet)
    {
        if (stack is [{ Kind: FrameKind.Kernel }, ..])
        {
            var kernel = stack.TakeWhile(frame => frame.Kind == FrameKind.Kernel).ToList();
            return Kernel.First(stage => stage.frames is null || kernel.Exists(frame => stage.frames.IsMatch(frame.Function)));
        }
        if (!isDotnet)
            return Program;
        if (Runtime[0].threads!.IsMatch(thread))
            return Runtime[0];
        var isNative = true;
        foreach (var frame in stack)
        {
            isNative &= frame.Kind == FrameKind.Native;
            // The runtime starts every thread, so only its innermost frames say that it works.
            if ((isNative || frame.Kind == FrameKind.Managed) && Known.GetOrAdd(frame, Find) is { } found)
                return found;
        }
        return All.FirstOrDefault(stage => stage.threads?.IsMatch(thread) == true) ?? Rest;
    }

    // Of native libraries only the runtime's and those of TLS decide. All others work for their callers.
    private static Stage? Find(StackFrame frame) => (frame.Kind == FrameKind.Managed ? User : [.. Runtime, User[0]])
        .FirstOrDefault(stage => stage.frames?.IsMatch(frame.Text) == true);
}
