using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Echo;

/// <summary>Echoes what it receives, or what the test makes of the bytes, with one blocking thread per connection.</summary>
internal sealed class EchoServer : IDisposable
{
    private readonly List<IDisposable> open = [];
    private readonly Func<byte[], int, byte[]?> lie;
    private readonly int atOnce;
    private readonly Socket? listener;
    private NamedPipeServerStream? free;
    private volatile bool isDisposed;

    /// <param name="kind"><c>tcp</c>, <c>unix</c> or <c>pipe</c>.</param>
    /// <param name="lie">
    /// Makes the answer from the bytes and the running number of the answer; null ends the connection. By default the bytes themselves.
    /// </param>
    /// <param name="atOnce">With a lie: the number of bytes that are awaited and answered together.</param>
    public EchoServer(string kind, Func<byte[], int, byte[]?>? lie = null, int atOnce = 0)
    {
        (this.lie, this.atOnce) = (lie ?? ((bytes, _) => bytes), atOnce);
        var name = "ipcbench-" + Guid.NewGuid().ToString("N");
        Address = kind switch
        {
            "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), name + ".sock")),
            "pipe" => new Address.Pipe(name),
            _ => new Address.Tcp("127.0.0.1", 0),
        };
        if (Address is not Address.Pipe)
        {
            EndPoint endPoint = Address is Address.Unix unix
                ? new UnixDomainSocketEndPoint(unix.Path)
                : new IPEndPoint(IPAddress.Loopback, 0);
            listener = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
            listener.Bind(endPoint);
            listener.Listen(64);
            if (listener.LocalEndPoint is IPEndPoint bound)
                Address = new Address.Tcp("127.0.0.1", bound.Port);
        }
        else
        {
            free = OpenPipe();
        }
        Run(Accept);
    }

    public Address Address { get; }

    public void Dispose()
    {
        isDisposed = true;
        listener?.Dispose();
        lock (open)
            open.ForEach(connection => connection.Dispose());
        if (Address is Address.Unix unix)
            File.Delete(unix.Path);
    }

    private void Accept()
    {
        while (!isDisposed)
        {
            Stream stream = listener is null ? AcceptPipe() : new NetworkStream(listener.Accept(), ownsSocket: true);
            Run(() => Serve(stream));
        }
    }

    // The next pipe is opened before this pipe is served.
    private NamedPipeServerStream AcceptPipe()
    {
        var pipe = free!;
        pipe.WaitForConnection();
        free = OpenPipe();
        return pipe;
    }

    private NamedPipeServerStream OpenPipe()
    {
        var pipe = new NamedPipeServerStream(
            ((Address.Pipe)Address).Name, PipeDirection.InOut, NamedPipeServerStream.MaxAllowedServerInstances);
        lock (open)
            open.Add(pipe);
        return pipe;
    }

    private void Serve(Stream stream)
    {
        lock (open)
            open.Add(stream);
        var buffer = new byte[atOnce > 0 ? atOnce : 64 * 1024];
        for (var number = 0; ; number++)
        {
            var count = atOnce > 0 ? stream.ReadAtLeast(buffer, atOnce, throwOnEndOfStream: false) : stream.Read(buffer);
            if (count == 0 || lie(buffer, number) is not { } answer)
                break;
            stream.Write(answer, 0, atOnce > 0 ? answer.Length : count);
        }
        stream.Dispose();
    }

    private static void Run(Action work) => new Thread(() =>
    {
        try
        {
            work();
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The other side or the test has ended the connection.
        }
    })
    { IsBackground = true }.Start();
}
