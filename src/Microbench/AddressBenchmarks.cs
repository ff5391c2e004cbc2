using BenchmarkDotNet.Attributes;
using IpcBench.Transports;

namespace IpcBench.Microbench;

/// <summary>Reading an address, once per command-line option.</summary>
[Gated]
public class AddressBenchmarks
{
    [Params("http://localhost:5000", "unix:/tmp/greeter.sock", "pipe:/PipeGreeter")]
    public string Text { get; set; } = "";

    [Benchmark]
    public Address Parse() => Address.Parse(Text);
}
