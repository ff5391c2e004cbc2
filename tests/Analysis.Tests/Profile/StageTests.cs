using IpcBench.Analysis.Profile;

namespace IpcBench.Analysis.Tests.Profile;

/// <summary>Checks the stage of samples. The stacks are of real servers of .NET 10, shortened to the frames that matter.</summary>
public class StageTests
{
    [Theory]
    [InlineData("kernel: send", "kernel!tcp_rcv_established", "kernel!do_softirq", "kernel!tcp_sendmsg", "kernel!__x64_sys_sendto",
        "libc.so.6!__send", "System.Net.Sockets!System.Net.Sockets.SocketPal.TryCompleteSendTo")]
    [InlineData("kernel: receive", "kernel!_copy_from_user", "kernel!___sys_recvmsg", "libc.so.6!__libc_recvmsg",
        "System.Net.Sockets!System.Net.Sockets.SocketPal.TryCompleteReceiveFrom")]
    [InlineData("kernel: receive", "kernel!sock_read_iter", "kernel!vfs_read", "kernel!__x64_sys_read", "node!?")]
    [InlineData("kernel: wait and wake", "kernel!finish_task_switch.isra.0", "kernel!do_epoll_wait", "libc.so.6!epoll_wait",
        "System.Net.Sockets!?")]
    [InlineData("kernel: wait and wake", "kernel!do_futex", "kernel!__x64_sys_futex", "libcoreclr.so!?")]
    [InlineData("kernel: other", "kernel!asm_exc_page_fault", "GrpcBenchServer!IpcBench.Server.Behaviors.Work.Compute")]
    [InlineData("kernel: other", "kernel!?")]
    [InlineData("sockets", "System.Private.CoreLib!System.Threading.Interlocked.CompareExchange",
        "System.Net.Sockets!System.Net.Sockets.SocketAsyncEngine.System.Threading.IThreadPoolWorkItem.Execute",
        "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch", "libcoreclr.so!?", "libc.so.6!start_thread")]
    [InlineData("sockets", "IpcBench.Transports!IpcBench.Transports.Loop.EventLoop.Run")]
    [InlineData("TLS", "libcrypto.so.3!?", "libssl.so.3!?")]
    [InlineData("TLS", "System.Net.Security!System.Net.Security.SslStream.EncryptData",
        "Microsoft.AspNetCore.Server.Kestrel.Core!Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http2.Http2FrameWriter.FlushAsync")]
    [InlineData("transport and pipes", "System.IO.Pipelines!System.IO.Pipelines.Pipe.AdvanceReader",
        "Microsoft.AspNetCore.Server.Kestrel.Core!Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http2.Http2Connection.Process")]
    [InlineData("transport and pipes",
        "Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets!Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets.IOQueue.Execute")]
    [InlineData("HTTP", "Microsoft.AspNetCore.Server.Kestrel.Core!System.Net.Http.HPack.HPackDecoder.Parse")]
    [InlineData("HTTP", "System.Private.CoreLib!?", "Microsoft.AspNetCore.Server.Kestrel.Core!?")]
    [InlineData("gRPC and serialization", "System.Runtime!System.Span.Clear", "Google.Protobuf!Google.Protobuf.ParserInternalState.Read",
        "Shop!Shop.CartService.Add")]
    [InlineData("gRPC and serialization", "GrpcBenchServer!IpcBench.Server.BuiltIn.ServedCall.RunAsync")]
    [InlineData("handler", "GrpcBenchServer!IpcBench.Server.Behaviors.Work.Compute",
        "GrpcBenchServer!IpcBench.Server.BuiltIn.ServedCall.RunAsync")]
    [InlineData("handler", "System.Private.CoreLib!System.String.Concat", "System.Linq!System.Linq.Enumerable.ToList",
        "Shop!Shop.CartService.Add", "Grpc.AspNetCore.Server!Grpc.AspNetCore.Server.Internal.UnaryServerCallHandler.HandleCallAsync")]
    [InlineData("handler", "Npgsql!?", "Shop!Shop.CartService.Add")]
    [InlineData("thread pool", "System.Private.CoreLib!System.Threading.LowLevelLifoSemaphore.Wait",
        "System.Private.CoreLib!System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart", "libcoreclr.so!?")]
    [InlineData("GC and runtime", "libc.so.6!__memset_avx2_unaligned", "libcoreclr.so!?", "Shop!Shop.CartService.Add")]
    [InlineData("GC and runtime", "libclrgc.so!?")]
    [InlineData("compilation", "libclrjit.so!?", "libcoreclr.so!?")]
    public void A_sample_has_the_stage_of_its_system_call_or_of_its_innermost_frame_with_a_known_stage(
        string stage, params string[] stack) =>
        Assert.Equal(stage, Of("worker", true, stack));

    [Theory]
    [InlineData("compilation", ".NET Tiered Com", "libcoreclr.so!?")]
    [InlineData("thread pool", ".NET TP Worker", "System.Private.CoreLib!?")]
    [InlineData("sockets", ".NET Sockets", "System.Private.CoreLib!?")]
    [InlineData("GC and runtime", ".NET BGC", "System.Private.CoreLib!?")]
    [InlineData("the rest", "main", "System.Private.CoreLib!System.Console.WriteLine")]
    public void The_name_of_the_thread_decides_the_stage_if_no_frame_has_a_stage(string stage, string thread, string frame) =>
        Assert.Equal(stage, Of(thread, true, frame));

    [Theory]
    [InlineData("program", "node!v8::internal::Builtins")]
    [InlineData("kernel: send", "kernel!sock_write_iter", "kernel!ksys_write", "greeter!syscall.Syscall")]
    public void A_program_that_is_not_dotnet_has_one_stage_outside_the_kernel(string stage, params string[] stack) =>
        Assert.Equal(stage, Of("worker", false, stack));

    [Fact]
    public void Each_stage_has_its_own_name() => Assert.Equal(Stage.All.Count, Stage.All.Select(stage => stage.Name).Distinct().Count());

    private static string Of(string thread, bool isDotnet, params string[] stack) =>
        Stage.Classify(thread, [.. stack.Select(Frame)], isDotnet).Name;

    private static StackFrame Frame(string text)
    {
        var (module, function) = text.Split('!', 2) is [var first, var second] ? (first, second) : (text, "");
        return module == "kernel" ? StackFrame.Kernel(function)
            : new(module.Contains(".so", StringComparison.Ordinal) || module is "node" or "greeter" ? FrameKind.Native : FrameKind.Managed,
                module, function);
    }
}
