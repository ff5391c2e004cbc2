using System.Diagnostics;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;

namespace IpcBench.Transports;

/// <summary>
/// A child process that serves one connection, on its standard input and output or on a socketpair(2). The child must
/// end when the connection is closed. After 2 s, this class kills the child.
/// </summary>
public sealed class ChildProgram : IDisposable
{
    // How long a child may take to end by itself, and how long to wait for its last output on standard error.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2), LastWords = TimeSpan.FromMilliseconds(500);

    private const int MostWords = 1000;

    private static readonly Lock Gate = new();
    private static readonly Dictionary<Address, Func<int?, Process>> Offered = [];
    private static readonly List<ChildProgram> All = [];

    private readonly Address.Child address;
    private readonly Process process;
    private readonly StringBuilder words = new();
    private readonly Thread reader;
    private readonly int descriptor;
    private Task? ending;
    private bool hasEndedFirst;

    private ChildProgram(Address.Child address, Process process, int descriptor)
    {
        (this.address, this.process, this.descriptor) = (address, process, descriptor);
        reader = new Thread(ReadWords) { IsBackground = true, Name = $"words of {address.Kind}" };
        reader.Start();
    }

    /// <summary>Says how the children of an address are started.</summary>
    /// <param name="start">
    /// Starts a child with redirected standard streams. The argument is null for stdio. For a socketpair it is the
    /// descriptor of the child's end, which the child inherits under the same number.
    /// </param>
    public static void Offer(Address.Child address, Func<int?, Process> start)
    {
        lock (Gate)
            Offered[address] = start;
    }

    /// <summary>Returns the ids of the children that serve the address now.</summary>
    public static IReadOnlyList<int> Running(Address address)
    {
        lock (Gate)
            return [.. All.Where(one => one.address == address && one.ending is null).Select(one => one.process.Id)];
    }

    /// <summary>
    /// Finds a child of these addresses that ended its connection too early. Waits a moment for its exit code.
    /// </summary>
    /// <returns>Kind, exit code (null while it runs) and last standard error. Null without such a child.</returns>
    public static (string Kind, int? ExitCode, string Words)? Dead(IEnumerable<Address> addresses)
    {
        ChildProgram? dead;
        lock (Gate)
            dead = All.Find(one => one.hasEndedFirst && addresses.Contains(one.address));
        return dead is null ? null : (dead.address.Kind, dead.process.WaitForExit(LastWords) ? dead.process.ExitCode : null, dead.Words());
    }

    /// <summary>Ends all children of these addresses, and forgets the addresses.</summary>
    public static async Task EndAsync(IEnumerable<Address> addresses)
    {
        List<ChildProgram> ended;
        lock (Gate)
        {
            ended = All.FindAll(one => addresses.Contains(one.address));
            All.RemoveAll(ended.Contains);
            foreach (var address in addresses)
                Offered.Remove(address);
        }
        foreach (var one in ended)
            one.Dispose();
        foreach (var one in ended)
        {
            await one.ending!;
            one.process.Dispose();
        }
    }

    /// <summary>Starts a child of the address.</summary>
    /// <exception cref="IOException">No child can be started, or an earlier child has ended too early.</exception>
    internal static ChildProgram Start(Address.Child address)
    {
        // A program that has ended too early would do so again, and each new connection would start it once more.
        if (Dead([address]) is not null)
            throw CannotConnect.Because(address, "a child has ended");
        // Only one child is started at a time. Otherwise a second child would inherit the first child's end of the
        // socketpair, and nobody would notice when the first child ends.
        lock (Gate)
        {
            if (!Offered.TryGetValue(address, out var start))
                throw CannotConnect.Because(address, "no program serves it");
            var child = address.Transport != Address.Child.SocketPair ? new ChildProgram(address, start(null), -1)
                : OperatingSystem.IsLinux() ? StartWithPair(address, start)
                : throw CannotConnect.Because(address, "only Linux has socketpair here: use stdio");
            All.Add(child);
            return child;
        }
    }

    [SupportedOSPlatform("linux")]
    private static ChildProgram StartWithPair(Address.Child address, Func<int?, Process> start)
    {
        int ours, theirs;
        try
        {
            (ours, theirs) = Descriptor.MakePair();
        }
        catch (IOException e)
        {
            throw CannotConnect.Because(address, e.Message);
        }
        try
        {
            return new ChildProgram(address, start(theirs), ours);
        }
        catch
        {
            Native.Close(ours);
            throw;
        }
        finally
        {
            Native.Close(theirs);
        }
    }

    /// <summary>Notes that the child has ended the connection.</summary>
    internal void NoteEnd() => hasEndedFirst = ending is null || hasEndedFirst;

    /// <summary>
    /// Returns the descriptors to read from and to write to, which the caller must close. For a socketpair, both are
    /// the client's end. For stdio, they are two pipes.
    /// </summary>
    [SupportedOSPlatform("linux")]
    internal (int Input, int Output) TakeDescriptors() => descriptor >= 0 ? (descriptor, descriptor)
        : (Own(process.StandardOutput.BaseStream), Own(process.StandardInput.BaseStream));

    /// <summary>Makes a stream of the connection. Disposing the stream ends the child.</summary>
    internal Stream ToStream()
    {
        if (descriptor < 0)
            return new ChildStream(this, process.StandardOutput.BaseStream, process.StandardInput.BaseStream);
        var socket = new NetworkStream(new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)), ownsSocket: true);
        return new ChildStream(this, socket, socket);
    }

    /// <summary>Begins to end the child and returns at once. <see cref="EndAsync"/> waits for the end.</summary>
    public void Dispose()
    {
        lock (Gate)
            ending ??= Task.Run(FinishAsync);
    }

    private async Task FinishAsync()
    {
        using var limit = new CancellationTokenSource(Patience);
        try
        {
            process.StandardInput.Close();
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The child or the connection has already closed standard input.
        }
        try
        {
            await process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None);
        }
        lock (Gate)
        {
            if (!hasEndedFirst)
                All.Remove(this);
        }
    }

    // A separate thread reads standard error, because a child blocks when nobody reads its output. On Windows even an
    // asynchronous read of this pipe would keep a thread of the pool busy.
    private void ReadWords()
    {
        try
        {
            var buffer = new char[256];
            for (int count; (count = process.StandardError.Read(buffer)) > 0;)
            {
                lock (words)
                {
                    words.Append(buffer, 0, count);
                    words.Remove(0, Math.Max(0, words.Length - MostWords));
                }
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The child has ended.
        }
    }

    private string Words()
    {
        reader.Join(LastWords);
        lock (words)
            return string.Join(' ', words.ToString().Split((char[])['\n', '\r'], StringSplitOptions.RemoveEmptyEntries).TakeLast(3)).Trim();
    }

    [SupportedOSPlatform("linux")]
    private static int Own(Stream stream)
    {
        using var pipe = (PipeStream)stream;
        var descriptor = Descriptor.Duplicate(pipe.SafePipeHandle);
        Descriptor.SetNonBlocking(descriptor);
        return descriptor;
    }

    /// <summary>The two pipes, or the socket, of a child as one stream.</summary>
    private sealed class ChildStream(ChildProgram child, Stream input, Stream output) : ConnectionStream
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var count = await input.ReadAsync(buffer, cancellationToken);
            if (count == 0 && buffer.Length > 0)
                child.NoteEnd();
            return count;
        }

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await output.WriteAsync(buffer, cancellationToken);
            await output.FlushAsync(cancellationToken);
        }

        public override int Read(byte[] buffer, int offset, int count) => input.Read(buffer, offset, count);

        public override void Write(byte[] buffer, int offset, int count)
        {
            output.Write(buffer, offset, count);
            output.Flush();
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing)
            {
                output.Dispose();
                input.Dispose();
                child.Dispose();
            }
            base.Dispose(disposing);
        }
    }
}

/// <summary>Starts a child for each connection.</summary>
public sealed class ChildConnector(Address.Child address) : Connector
{
    public override ValueTask<Stream> ConnectAsync(CancellationToken cancellation) => new(ChildProgram.Start(address).ToStream());
}
