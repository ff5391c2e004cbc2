using IpcBench.Client.Profile;

namespace IpcBench.Client.Tests.Profile;

public class PerfScriptTests
{
    // Lines of perf 6.1 and of a server of .NET 10, in which a file in memory is mapped twice (W^X).
    private const string Text = """
        .NET TP Worker 21315/21330  2097.821334507: 
        	ffffffff81e2fbfc ___sys_recvmsg ([kernel.kallsyms])
        	          10aae7 __libc_recvmsg (/usr/lib/x86_64-linux-gnu/libc.so.6)
        	          9b2b40 [unknown] (/memfd:doublemapper (deleted))
        	          9b2c00 [unknown] (/memfd:doublemapper (deleted))
        	          246460 [unknown] (/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll)
        	           89114 std::deque<int (*)(long)>::push(int (*)(long)) (/opt/a program (deleted))

        this is no sample
        
                  V8 Worker 7/8  2097.9:  7ffd1000 [unknown] (//anon)

        """;

    private static readonly string[] Methods =
    [
        "7f1e57ef1b00 100 instance bool [Old] Old.Type::Gone()[QuickJitted]",
        "0x7f1e57ef1b00 100 instance valuetype X`1<!0> [System.Net.Sockets] System.Net.Sockets.Socket`1[System.__Canon]+Inner"
            + "::Receive[T](int32[])[OptimizedTier1]",
        "nonsense",
    ];

    private static readonly string[] Mappings =
    [
        "7f1e57ec0000-7f1e57f3f000 r-xs 00981000 00:01 818                        /memfd:doublemapper (deleted)",
        "7f1e60000000-7f1e60001000 rw-s 00981000 00:01 818                        /memfd:doublemapper (deleted)",
        "7f1e70000000-7f1e70001000 r-xp 00000000 08:01 12                         /usr/lib/libc.so.6",
    ];

    [Fact]
    public async Task Samples_have_thread_process_time_and_named_frames()
    {
        var map = new CodeMap(Methods, Mappings);
        var samples = new List<StackSample>();
        using var text = new StringReader(Text);
        await foreach (var sample in new PerfScript(process => process == 21315 ? map : null).ReadAsync(text))
            samples.Add(sample);

        Assert.Equal(2, samples.Count);
        Assert.Equal((".NET TP Worker", 21315, 2_097_821_334_507), (samples[0].Thread, samples[0].Process, samples[0].Timestamp));
        Assert.Equal(
            [
                "kernel!___sys_recvmsg", "libc.so.6!__libc_recvmsg",
                "System.Net.Sockets!System.Net.Sockets.Socket+Inner.Receive", "compiled code!?", "System.Private.CoreLib!?",
                "a program!std::deque<int (*)(long)>::push(int (*)(long))",
            ],
            samples[0].Stack.Select(frame => frame.Text));
        Assert.Equal(("V8 Worker", 7, 2_097_900_000_000), (samples[1].Thread, samples[1].Process, samples[1].Timestamp));
        Assert.Equal(["compiled code!?"], samples[1].Stack.Select(frame => frame.Text));
    }

    [Fact]
    public void A_diagnostics_command_for_the_runtime_is_encoded_as_the_protocol_specifies() => Assert.Equal(
        "444F544E45545F4950435F563100" + "1800" + "04" + "05" + "0000" + "03000000",
        Convert.ToHexString(DiagnosticsPort.Message(4, 5, [3, 0, 0, 0])));
}
