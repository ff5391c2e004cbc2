using System.Diagnostics;
using System.Net.Sockets;
using IpcBench.Client.CalibrationServer;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.CalibrationServer;

public class ResponderCommandTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    public static TheoryData<string> Addresses() =>
    [
        "http://127.0.0.1:0", $"unix:{Path.GetTempPath()}r-{Guid.NewGuid():N}.sock", $"pipe:/r-{Guid.NewGuid():N}",
    ];

    [Theory]
    [MemberData(nameof(Addresses), DisableDiscoveryEnumeration = true)]
    public async Task As_a_process_it_answers_and_ends_when_its_input_closes(string listen)
    {
        var info = ThisProgram.StartInfo(ResponderProcess.Command, "--listen", listen);
        info.RedirectStandardInput = info.RedirectStandardOutput = true;
        using var process = Process.Start(info)!;
        try
        {
            var line = await process.StandardOutput.ReadLineAsync().WaitAsync(Limit);
            Assert.StartsWith(ResponderProcess.Listening, line);
            Assert.Equal(ResponderProcess.Ready, await process.StandardOutput.ReadLineAsync().WaitAsync(Limit));

            await CallAsync(Address.Parse(line![ResponderProcess.Listening.Length..])).WaitAsync(Limit);

            process.StandardInput.Close();
            await process.WaitForExitAsync().WaitAsync(Limit);
            Assert.Equal(0, process.ExitCode);
        }
        finally
        {
            if (!process.HasExited)
                process.Kill();
        }
    }

    private static async Task CallAsync(Address address)
    {
        await using var stream = await Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None);
        await stream.WriteAsync("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray());
        await stream.WriteAsync(Frames.Settings());
        var greeting = (3 * FrameHeader.Size) + 12 + 4;
        await stream.ReadExactlyAsync(new byte[greeting]);
        var reply = new CannedReply(100, FrameReader.MaxFrame).Length;
        for (var id = 1; id < 7; id += 2)
        {
            await stream.WriteAsync(Frames.Frame(1, Frames.EndHeaders, id, 0x82));
            await stream.WriteAsync(Frames.Frame(0, Frames.EndStream, id, 0, 0, 0, 0, 2, 8, 100));
            var bytes = new byte[reply];
            await stream.ReadExactlyAsync(bytes);
            Assert.Equal(id, bytes[FrameHeader.StreamOffset + 3]);
        }
    }

    [Fact]
    public async Task An_address_in_use_is_one_sentence()
    {
        await using var first = ResponderHost.Start(Address.Parse("http://127.0.0.1:0"), new Responders());

        var error = await Assert.ThrowsAsync<EnvironmentException>(() =>
            ResponderProcess.ServeAsync([first.Address], Stream.Null, TextWriter.Null, CancellationToken.None).WaitAsync(Limit));

        Assert.Equal(
            $"cannot listen on {first.Address}: {new SocketException((int)SocketError.AddressAlreadyInUse).Message}", error.Message);
    }
}
