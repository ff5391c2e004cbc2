using System.Net.Sockets;
using System.Text;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.JsonRpc;

/// <summary>Answers each line of a client with the lines that the test makes of it, on a Unix socket.</summary>
internal sealed class LineServer : IDisposable
{
    private readonly Socket listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly Func<string, IEnumerable<string>?> answer;
    private readonly List<Socket> open = [];

    /// <param name="answer">Makes the answer to a line. Null closes the connection.</param>
    public LineServer(Func<string, IEnumerable<string>?> answer)
    {
        this.answer = answer;
        Address = new(Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock"));
        listener.Bind(new UnixDomainSocketEndPoint(Address.Path));
        listener.Listen();
        Run(Accept);
    }

    public Address.Unix Address { get; }

    public void Dispose()
    {
        listener.Dispose();
        lock (open)
            open.ForEach(socket => socket.Dispose());
        File.Delete(Address.Path);
    }

    private void Accept()
    {
        while (true)
        {
            var socket = listener.Accept();
            lock (open)
                open.Add(socket);
            Run(() => Serve(socket));
        }
    }

    private void Serve(Socket socket)
    {
        using var stream = new NetworkStream(socket, ownsSocket: true);
        using var lines = new StreamReader(stream);
        while (lines.ReadLine() is { } line)
        {
            if (answer(line) is not { } made)
                return;
            foreach (var one in made)
                stream.Write(Encoding.UTF8.GetBytes(one + "\n"));
        }
    }

    private static void Run(Action work) => new Thread(() =>
    {
        try
        {
            work();
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException)
        {
            // The client or the test has ended the connection.
        }
    })
    { IsBackground = true }.Start();
}
