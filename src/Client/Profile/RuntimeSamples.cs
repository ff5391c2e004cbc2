using System.Text.RegularExpressions;
using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>
/// Makes samples of a runtime's trace. Leaves out the samples of threads that wait or are in a system call of a socket, because nothing
/// in these samples says whether the thread had a CPU.
/// </summary>
internal static partial class RuntimeSamples
{
    private const string Rundown = "Microsoft-Windows-DotNETRuntimeRundown", Sampling = "Microsoft-DotNETCore-SampleProfiler";

    // The events MethodDCEndVerbose_V1 and ModuleDCEnd_V2 of the rundown, which lists everything that was loaded (Microsoft Learn,
    // "Method events", "Loader events").
    private const int Method = 144, Module = 154;

    /// <exception cref="InvalidDataException">The bytes are not a trace.</exception>
    public static IReadOnlyList<StackSample> Read(int process, ReadOnlyMemory<byte> trace)
    {
        try
        {
            return Read(process, NettraceReader.Read(trace));
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new InvalidDataException("the trace has an event that is too short", e);
        }
    }

    private static List<StackSample> Read(int process, IReadOnlyList<NettraceReader.Event> events)
    {
        var modules = new Dictionary<long, string>();
        foreach (var one in events.Where(one => one is { Provider: Rundown, Id: Module }))
        {
            var payload = new NettraceReader.Cursor(one.Payload);
            var id = payload.Int64();
            payload.Take(16); // assembly and flags
            modules[id] = Path.GetFileNameWithoutExtension(payload.Utf16().Replace('\\', '/'));
        }
        var methods = new List<(ulong From, ulong Length, StackFrame Frame)>();
        foreach (var one in events.Where(one => one is { Provider: Rundown, Id: Method }))
        {
            var payload = new NettraceReader.Cursor(one.Payload);
            payload.Int64();
            var module = modules.GetValueOrDefault(payload.Int64(), "");
            var (from, length) = ((ulong)payload.Int64(), (ulong)(uint)payload.Int32());
            payload.Take(8); // token and flags
            var (type, name) = (CodeMap.WithoutArguments(payload.Utf16()), payload.Utf16());
            methods.Add((from, length, type == "dynamicClass"
                ? new(FrameKind.Native, "stub", name) : new(FrameKind.Managed, module, $"{type}.{name}")));
        }
        methods.Sort((one, other) => one.From.CompareTo(other.From));
        var starts = methods.ConvertAll(method => method.From);
        var frames = new Dictionary<ulong, StackFrame>();
        var (threads, folder) = (new Dictionary<long, string>(), new RuntimeFolder(process));
        var samples = new List<StackSample>();
        foreach (var one in events.Where(one => one is { Provider: Sampling, Stack.Length: > 0 }))
        {
            var stack = one.Stack.Select(FrameOf).ToList();
            var inner = stack.Find(frame => frame.Kind == FrameKind.Managed).Text;
            // The engine of .NET's sockets waits in a system call, whose stub has no name.
            if (Waits().IsMatch(inner) || SystemCalls().IsMatch(inner) || (stack[0].Kind == FrameKind.Native && Engine().IsMatch(inner)))
                continue;
            if (!threads.TryGetValue(one.Thread, out var thread))
                threads[one.Thread] = thread = folder.NameOf(one.Thread);
            samples.Add(new(thread, process, one.Timestamp, stack));
        }
        return samples;

        StackFrame FrameOf(ulong address)
        {
            if (frames.TryGetValue(address, out var known))
                return known;
            var place = starts.BinarySearch(address);
            place = place < 0 ? ~place - 1 : place;
            return frames[address] = place >= 0 && address - starts[place] < methods[place].Length
                ? methods[place].Frame : new(FrameKind.Native, "compiled code", StackFrame.NoName);
        }
    }

    // Methods in which a thread waits. The runtime's own mark of a sample, "external" or "managed", does not help: a thread that
    // returns from a wait has the mark "managed" until the runtime lets its threads go on.
    [GeneratedRegex(@"!System\.Threading\.(Monitor\.|Lock\.|LowLevel|WaitHandle\.|ManualResetEventSlim\."
        + @"|Thread\.(Sleep|Join|Yield|<PollGC>)|PortableThreadPool\+(\w+\.\w+ThreadStart$|IOCompletionPoller\.Poll))"
        + @"|!Interop\+(Sys|Kernel32)\.<?(Read|WriteFile|LowLevelMonitor|GetQueuedCompletionStatus|WaitFor"
        + @"|ConnectNamedPipe|Accept|Poll|Select|Connect)", RegexOptions.CultureInvariant)]
    private static partial Regex Waits();

    [GeneratedRegex(@"\.SocketAsyncEngine\.EventLoop$", RegexOptions.CultureInvariant)]
    private static partial Regex Engine();

    // Methods that send and receive; of the event loop all methods, because its system calls have no frames of their own. A thread that
    // has no CPU stays in such a method, most often because its system call woke the thread that took the CPU.
    [GeneratedRegex(@"^System\.Net\.Sockets!.*\.(SocketPal\.(TryComplete|Sys)?(Send|Receive)\w*$"
        + @"|\w+\.DoOperation(Send|Receive)\w*$)|!Interop\+(Sys|Winsock)\.<?(WSA)?(Send|send|Receive|Recv|recv)"
        + @"|^IpcBench\.Transports!", RegexOptions.CultureInvariant)]
    private static partial Regex SystemCalls();
}
