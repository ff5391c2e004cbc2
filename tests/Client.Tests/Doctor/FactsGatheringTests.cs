using System.Net.Sockets;
using IpcBench.Client.Doctor;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Doctor;

public class FactsGatheringTests
{
    // No test waits so long: every address answers or refuses at once.
    private static readonly TimeSpan Patience = TestLoad.Patience;
    private readonly string path = Path.Combine(Path.GetTempPath(), $"doc-{Guid.NewGuid():N}.sock");

    [Fact]
    public async Task A_Unix_socket_is_reported_as_answering_or_as_stale_or_as_free()
    {
        var address = Address.Parse("unix:" + path);
        using (var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            socket.Bind(new UnixDomainSocketEndPoint(path));
            socket.Listen();
            Assert.Equal(AddressState.Answers, await AddressProbe.LookAsync(address, Patience));
            // A killed server leaves its file. The file is moved away here, so that .NET does not remove it.
            File.Move(path, path + ".kept");
        }
        File.Move(path + ".kept", path);
        Assert.Equal(AddressState.Stale, await AddressProbe.LookAsync(address, Patience));
        File.Delete(path);
        Assert.Equal(AddressState.Free, await AddressProbe.LookAsync(address, Patience));
    }

    [Fact]
    public async Task An_ordinary_file_is_no_stale_socket()
    {
        await File.WriteAllTextAsync(path, "mine");
        try
        {
            Assert.Equal(AddressState.Occupied, await AddressProbe.LookAsync(Address.Parse("unix:" + path), Patience));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task A_FIFO_at_the_address_is_reported_as_occupied_and_is_not_opened()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "pipes in folders are Unix's");
        using (var make = System.Diagnostics.Process.Start("mkfifo", [path]))
            await make.WaitForExitAsync(TestContext.Current.CancellationToken);
        var looking = Task.Run(() => AddressProbe.LookAsync(Address.Parse("unix:" + path), Patience));
        Assert.Equal(AddressState.Occupied, await looking.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken));
        File.Delete(path);
    }

    [Fact]
    public async Task A_port_or_pipe_without_a_server_is_free()
    {
        using var closed = new Socket(SocketType.Stream, ProtocolType.Tcp);
        closed.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
        var port = ((System.Net.IPEndPoint)closed.LocalEndPoint!).Port;

        Assert.Equal(AddressState.Free, await AddressProbe.LookAsync(new Address.Tcp("127.0.0.1", port), Patience));
        Assert.Equal(AddressState.Free, await AddressProbe.LookAsync(new Address.Pipe($"none-{Guid.NewGuid():N}"), Patience));
    }

    [Fact]
    public void A_missing_folder_is_accepted_only_if_a_folder_above_is_writable()
    {
        Assert.Equal("", FactsGathering.WriteFailure(Path.Combine(Path.GetTempPath(), $"new-{Guid.NewGuid():N}", "deeper")));
        Assert.NotEqual("", FactsGathering.WriteFailure("/proc/nothing/here"));
    }
}
