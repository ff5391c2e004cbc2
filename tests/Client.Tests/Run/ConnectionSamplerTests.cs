using System.Net.Sockets;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

public sealed class ConnectionSamplerTests : IDisposable
{
    private readonly List<Socket> sockets = [];

    [Fact]
    public Task A_sampler_keeps_mean_and_maximum() => TestLoad.InTheEndAsync(async () =>
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads Linux's lists of sockets");
        var path = Path.Combine(Path.GetTempPath(), $"states-{Guid.NewGuid():N}.sock"); // another path for each attempt
        var listener = Keep(new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified));
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(10);
        using var sampler = ConnectionSampler.Begin(
            [new Watch("app", new Address.Unix(path)), new Watch("nobody", new Address.Unix(path + ".none"))]);
        await Task.Delay(250, TestContext.Current.CancellationToken);
        Connect(listener);
        Connect(listener);
        await Task.Delay(1000, TestContext.Current.CancellationToken);
        var watched = sampler!.Stop();
        Assert.Equal(["app", "nobody"], watched.Select(one => one.Name));
        Assert.Equal(2, watched[0].Idle.Max);
        Assert.InRange(watched[0].Idle.Mean, 0.01, 1.999);
        Assert.True(watched[0].Samples >= 2);
        Assert.Equal(0, watched[1].Idle.Max + watched[1].Active.Max + watched[1].Waiting.Max);
    });

    [Fact]
    public void A_sampler_without_endpoints_starts_no_thread() => Assert.Null(ConnectionSampler.Begin([]));

    public void Dispose() => sockets.ForEach(socket => socket.Dispose());

    private void Connect(Socket listener)
    {
        Keep(new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)).Connect(listener.LocalEndPoint!);
        Keep(listener.Accept());
    }

    private Socket Keep(Socket socket)
    {
        sockets.Add(socket);
        return socket;
    }
}
