using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>
/// Makes samples of a runtime's trace. Leaves out the samples of threads that wait or are in a system call of a socket, because nothing
/// in these samples says whether the thread had a CPU.
/// </summary>
internal static class RuntimeSamples
{
    private const string Rundown = "Microsoft-Windows-DotNETRuntimeRundown", Sampling = "Microsoft-DotNETCore-SampleProfiler";

    // The events MethodDCEndVerbose_V1 and ModuleDCEnd_V2 of the rundown, which lists everything that was loaded (Microsoft Learn,
    // "Method events", "Loader events").
    private const int MethodEvent = 144, ModuleEvent = 154;

    // The beginnings of the names of methods in which a thread waits. The runtime's own mark of a sample, "external" or "managed", does
    // not help: a thread that returns from a wait has the mark "managed" until the runtime lets its threads go on.
    private static readonly string[] Waits =
    [
        "System.Threading.Monitor.", "System.Threading.Lock.", "System.Threading.LowLevel", "System.Threading.WaitHandle.",
        "System.Threading.ManualResetEventSlim.", "System.Threading.Thread.Sleep", "System.Threading.Thread.Join",
        "System.Threading.Thread.Yield", "System.Threading.Thread.<PollGC>",
        "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
        "System.Threading.PortableThreadPool+GateThread.GateThreadStart", "System.Threading.PortableThreadPool+IOCompletionPoller.Poll",
        "Interop+Sys.Read", "Interop+Sys.LowLevelMonitor", "Interop+Sys.WaitFor", "Interop+Sys.Accept", "Interop+Sys.Poll",
        "Interop+Sys.Select", "Interop+Sys.Connect", "Interop+Kernel32.ReadFile", "Interop+Kernel32.WriteFile",
        "Interop+Kernel32.GetQueuedCompletionStatus",
        "Interop+Kernel32.WaitFor", "Interop+Kernel32.ConnectNamedPipe",
    ];

    // The beginnings of the names of methods that send and receive. A thread that has no CPU stays in such a method, most often because
    // its system call woke the thread that took the CPU.
    private static readonly string[] SystemCalls =
    [
        "System.Net.Sockets.SocketPal.Send", "System.Net.Sockets.SocketPal.SysSend", "System.Net.Sockets.SocketPal.TryCompleteSend",
        "System.Net.Sockets.SocketPal.Receive", "System.Net.Sockets.SocketPal.SysReceive",
        "System.Net.Sockets.SocketPal.TryCompleteReceive",
        "System.Net.Sockets.SocketAsyncEventArgs.DoOperationSend", "System.Net.Sockets.SocketAsyncEventArgs.DoOperationReceive",
        "Interop+Sys.Send", "Interop+Sys.Receive", "Interop+Winsock.",
    ];

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
        var (methods, folder) = (MethodsOf(events), new RuntimeFolder(process));
        var (frames, threads, samples) = (new Dictionary<long, Method>(), new Dictionary<long, string>(), new List<StackSample>());
        foreach (var one in events)
        {
            if (one.Provider != Sampling || one.Stack.Length == 0)
                continue;
            var stack = new List<StackFrame>();
            foreach (var address in one.Stack)
            {
                if (!frames.TryGetValue(address, out var method))
                    frames[address] = method = Find(methods, address);
                stack.Add(method.Frame);
            }
            if (IsWithoutCpu(stack))
                continue;
            if (!threads.TryGetValue(one.Thread, out var thread))
                threads[one.Thread] = thread = folder.NameOf(one.Thread);
            samples.Add(new(thread, process, one.Timestamp, stack));
        }
        return samples;
    }

    private static List<Method> MethodsOf(IReadOnlyList<NettraceReader.Event> events)
    {
        var (modules, methods) = (new Dictionary<long, string>(), new List<Method>());
        foreach (var one in events)
        {
            if (one is not { Provider: Rundown, Id: ModuleEvent })
                continue;
            var payload = new NettraceReader.Cursor(one.Payload);
            var id = payload.Int64();
            payload.Take(16); // assembly and flags
            modules[id] = Path.GetFileNameWithoutExtension(payload.Utf16().Replace('\\', '/'));
        }
        foreach (var one in events)
        {
            if (one is not { Provider: Rundown, Id: MethodEvent })
                continue;
            var payload = new NettraceReader.Cursor(one.Payload);
            payload.Int64();
            var module = modules.GetValueOrDefault(payload.Int64(), "");
            var (from, length) = (payload.Int64(), (uint)payload.Int32());
            payload.Take(8); // token and flags
            var (type, name) = (CodeMap.WithoutArguments(payload.Utf16()), payload.Utf16());
            methods.Add(new(from, length, type == "dynamicClass"
                ? new(FrameKind.Native, "stub", name) : new(FrameKind.Managed, module, $"{type}.{name}")));
        }
        methods.Sort((one, other) => one.From.CompareTo(other.From));
        return methods;
    }

    private static Method Find(List<Method> methods, long address)
    {
        var (low, high) = (0, methods.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (methods[middle].From <= address)
                low = middle + 1;
            else
                high = middle;
        }
        return low > 0 && address - methods[low - 1].From < methods[low - 1].Length
            ? methods[low - 1] : new(address, 1, new(FrameKind.Native, "compiled code", StackFrame.NoName));
    }

    private static bool IsWithoutCpu(List<StackFrame> stack)
    {
        var inner = stack.Find(frame => frame.Kind == FrameKind.Managed);
        if (inner.Function is null)
            return false;
        var name = inner.Function.Replace(".<", ".", StringComparison.Ordinal); // the stub of Send is <Send>g____PInvoke
        // The engine of .NET's sockets waits in a system call, whose stub has no name. Nor have the system calls of the event loop frames.
        return Array.Exists(Waits, begin => inner.Function.StartsWith(begin, StringComparison.Ordinal)
                || name.StartsWith(begin, StringComparison.Ordinal))
            || Array.Exists(SystemCalls, begin => name.StartsWith(begin, StringComparison.Ordinal))
            || inner.Module == "IpcBench.Transports"
            || (stack[0].Kind == FrameKind.Native && name == "System.Net.Sockets.SocketAsyncEngine.EventLoop");
    }

    private sealed record Method(long From, uint Length, StackFrame Frame);
}
