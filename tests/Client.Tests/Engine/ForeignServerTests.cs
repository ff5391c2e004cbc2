using System.ComponentModel;
using System.Diagnostics;
using Google.Protobuf;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks the wire client against servers of other projects: their HPACK, windows and pings.</summary>
public class ForeignServerTests
{
    public static TheoryData<string, int, int> Cells { get; } = new()
    {
        { "tcp", 0, 100 }, { "tcp", 10, 300 }, { "unix", 10, 300 }, { "tcp", 1_000_000, 30 }, { "unix", 1_000_000, 30 },
    };

    [Theory]
    [MemberData(nameof(Cells))]
    public async Task Calls_to_a_Python_grpcio_server_succeed_with_every_byte(string kind, int size, int calls)
    {
        await using var server = await ForeignServer.PythonAsync(kind);
        await CheckAsync(server.Address, size, calls);
    }

    [Theory]
    [MemberData(nameof(Cells))]
    public async Task Calls_to_a_grpc_js_server_succeed_with_every_byte(string kind, int size, int calls)
    {
        await using var server = await ForeignServer.NodeAsync(kind);
        await CheckAsync(server.Address, size, calls);
    }

    [Fact]
    public async Task Errors_of_foreign_servers_are_counted()
    {
        await using var python = await ForeignServer.PythonAsync("tcp");
        await FailsAsync(python.Address);
        await using var node = await ForeignServer.NodeAsync("tcp");
        await FailsAsync(node.Address);
    }

    [Fact]
    public async Task Calls_to_an_nghttpd_server_succeed()
    {
        var folder = Directory.CreateTempSubdirectory("ipcbench-");
        await File.WriteAllBytesAsync(Path.Combine(folder.FullName, "reply.grpc"), Frames.Message(20_000));
        await File.WriteAllTextAsync(Path.Combine(folder.FullName, "types"), "application/grpc grpc\n");
        var port = Ports.Unused();
        using var process = Start(
            "nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", folder.FullName, "--mime-types-file", Path.Combine(folder.FullName, "types"),
            "--trailer", "grpc-status: 0", $"{port}");
        try
        {
            var address = new Address.Tcp("127.0.0.1", port);
            var session = new Http2Options
            {
                Request = Http2Request.Grpc("localhost", false, "/reply.grpc", [new DownloadRequest { Size = 20_000 }.ToByteArray()]),
                Size = 20_000,
                Streams = 4,
            };
            var dialer = new StreamDialer(Connector.For(address, new()), 4096);
            var source = dialer.Connections(scheduler => new ReconnectingHttp2Connection(scheduler, dialer, session));
            await WaitForAsync(address);
            await using var generator = await LoadGenerator.OpenAsync(
                TestLoad.Options(address, streams: 4, size: 20_000), source, CancellationToken.None);
            var result = await TestLoad.RunAsync(generator, new LoadWindow { Calls = 200 });
            Assert.Empty(result.Failed);
            Assert.Equal(200, result.Ok);
        }
        finally
        {
            process.Kill();
            folder.Delete(recursive: true);
        }
    }

    private static async Task CheckAsync(Address address, int size, int calls)
    {
        var result = await TestLoad.MeasureAsync(
            TestLoad.Options(address, connections: 3, streams: 4, size: size), new LoadWindow { Calls = calls });
        Assert.Empty(result.Failed);
        Assert.Equal((calls, (long)calls * size), (result.Ok, result.Replies.Bytes));
    }

    private static async Task FailsAsync(Address address)
    {
        var result = await TestLoad.MeasureAsync(TestLoad.Options(address, size: 13), new LoadWindow { Calls = 20 });
        Assert.Equal(new Dictionary<string, long> { ["status 13"] = 20 }, result.Failed);
    }

    private static Process Start(string program, params string[] arguments)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign servers are installed on Linux only");
        try
        {
            return Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        }
        catch (Win32Exception)
        {
            Assert.Skip($"{program} is not installed: run .ci/install-foreign");
            throw;
        }
    }

    private static async Task WaitForAsync(Address address)
    {
        for (var begun = Stopwatch.GetTimestamp(); ;)
        {
            try
            {
                await using var stream = await Connector.For(address, new()).ConnectAsync(CancellationToken.None);
                return;
            }
            catch (IOException) when (Stopwatch.GetElapsedTime(begun) < TestLoad.Patience)
            {
                await Task.Delay(50);
            }
        }
    }
}
