using System.Diagnostics;
using System.Globalization;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;

namespace IpcBench.Transports;

/// <summary>
/// A child process that serves one connection, on its standard input and output, on a socketpair(2) or in shared
/// memory. The child must end when the connection is closed. This class kills a child that still runs 2 s later.
/// </summary>
public sealed class ChildProgram : IDisposable
{
    // How long a child may take to end by itself, and how long to wait for its last output on standard error.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2), LastWords = TimeSpan.FromMilliseconds(500);

    private const int MostWords = 1000;

    private static readonly Lock Gate = new();
    private static readonly Dictionary<Address, Func<string?, Process>> Offered = [];
    private static readonly List<ChildProgram> All = [];

    private readonly Address.Child address;
    private readonly Process process;
    private readonly StringBuilder words = new();
    private readonly Thread reader;
    private readonly int descriptor;
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task? ending;
    private bool hasEndedFirst;

    private ChildProgram(Address.Child address, Process process, int descriptor)
    {
        (this.address, this.process, this.descriptor) = (address, process, descriptor);
        reader = new Thread(ReadWords) { IsBackground = true, Name = $"words of {address.Kind}" };
        reader.Start();
    }

    /// <summary>Registers the function that starts the children of an address.</summary>
    /// <param name="start">
    /// Starts a child with redirected standard streams. Its argument says where the child finds its end of the
    /// connection. For a socketpair: the descriptor, which the child inherits under the same number. For shared memory
    /// on Linux: the descriptor of the memory, with eventfd(2) also the two descriptors on which the client and the
    /// child sleep. For shared memory on Windows: the name of the memory. For stdio: null.
    /// </param>
    public static void Offer(Address.Child address, Func<string?, Process> start)
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
    /// Finds a child of these addresses that ended its connection before the client closed it. Waits a moment for the
    /// child's exit code.
    /// </summary>
    /// <returns>
    /// The kind of the child's address, its exit code (null while the child runs) and its last output on standard
    /// error. Null when there is no such child.
    /// </returns>
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
    internal static ChildProgram Start(Address.Child address) => Start(address, start =>
        address.Transport != Address.Child.SocketPair ? new ChildProgram(address, start(null), -1)
            : OperatingSystem.IsLinux() ? StartWithPair(address, start)
            : throw CannotConnect.Because(address, "only Linux has socketpair here: use stdio"));

    /// <summary>Starts a child that opens shared memory by this name.</summary>
    /// <inheritdoc cref="Start(Address.Child)" path="/exception"/>
    internal static ChildProgram Start(Address.Child address, string name) =>
        Start(address, start => new ChildProgram(address, start(name), -1));

    /// <summary>Starts a child that inherits these descriptors. No other process inherits them.</summary>
    /// <inheritdoc cref="Start(Address.Child)" path="/exception"/>
    [SupportedOSPlatform("linux")]
    internal static ChildProgram Start(Address.Child address, IReadOnlyList<int> inherited) => Start(address, start =>
    {
        foreach (var one in inherited)
            Descriptor.Inherit(one, true);
        try
        {
            return new ChildProgram(address, start(string.Join(',', inherited)), -1);
        }
        finally
        {
            foreach (var one in inherited)
                Descriptor.Inherit(one, false);
        }
    });

    private static ChildProgram Start(Address.Child address, Func<Func<string?, Process>, ChildProgram> open)
    {
        // When a child has ended too early, no new child is started. The new child would probably end in the same way,
        // and each new connection would start one more.
        if (Dead([address]) is not null)
            throw CannotConnect.Because(address, "a child has ended");
        // Only one child is started at a time. Otherwise a second child would inherit the first child's end of the
        // socketpair, and nobody would notice when the first child ends.
        lock (Gate)
        {
            var child = open(Offered.TryGetValue(address, out var start) ? start
                : throw CannotConnect.Because(address, "no program serves it"));
            All.Add(child);
            return child;
        }
    }

    [SupportedOSPlatform("linux")]
    private static ChildProgram StartWithPair(Address.Child address, Func<string?, Process> start)
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
            return new ChildProgram(address, start(theirs.ToString(CultureInfo.InvariantCulture)), ours);
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

    /// <summary>Completes when the child's standard error ends, which shows that the child has ended.</summary>
    internal Task Ended => ended.Task;

    /// <summary>Notes that the child has ended the connection.</summary>
    /// <param name="why">
    /// What the child did wrong. The text is appended to the child's output on standard error. Null when the child only
    /// ended.
    /// </param>
    internal void NoteEnd(string? why = null)
    {
        if (why is not null)
            Add(why);
        hasEndedFirst = ending is null || hasEndedFirst;
    }

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
            Kill();
            await process.WaitForExitAsync(CancellationToken.None);
        }
        lock (Gate)
        {
            if (!hasEndedFirst)
                All.Remove(this);
        }
    }

    private void Kill()
    {
        try
        {
            process.Kill(entireProcessTree: true);
        }
        catch (Exception e) when (e is InvalidDataException or AggregateException)
        {
            // .NET could not read another process of the machine, or not kill a descendant.
            process.Kill();
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
                Add(buffer.AsSpan(0, count));
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
        {
            // The child has ended.
        }
        ended.SetResult();
    }

    private void Add(ReadOnlySpan<char> text)
    {
        lock (words)
        {
            words.Append(text);
            words.Remove(0, Math.Max(0, words.Length - MostWords));
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
}
