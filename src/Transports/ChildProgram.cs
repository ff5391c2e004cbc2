using System.Diagnostics;
using System.Globalization;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;

namespace IpcBench.Transports;

/// <summary>
/// A child process that serves one connection, on its standard input and output, on a socketpair(2) or in shared memory. The
/// child is expected to end when the connection is closed; it is killed when it does not.
/// </summary>
public sealed class ChildProgram : IDisposable
{
    // How long a child may take to end by itself, and how long its last words may take.
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

    /// <summary>Says how the children of an address are started.</summary>
    /// <param name="start">
    /// Starts a child with redirected standard streams. Its argument says where the child finds its end: for a socketpair the
    /// descriptor, which the child inherits under the same number. For shared memory the descriptor of the memory and those on
    /// which the client and the child sleep, if there are any, or on Windows the name of the memory. Null for stdio.
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
    /// Finds a child of these addresses that has ended although its connection was in use. Waits a moment for its exit code.
    /// </summary>
    /// <returns>Its transport, exit code (null when it still runs) and last words on standard error. Null when there is none.</returns>
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
    /// <exception cref="IOException">No child can be started, or another child of this address has died.</exception>
    internal static ChildProgram Start(Address.Child address) => Start(address, start =>
        address.Transport != Address.Child.SocketPair ? new ChildProgram(address, start(null), -1)
            : OperatingSystem.IsLinux() ? StartWithPair(address, start)
            : throw CannotConnect.Because(address, "only Linux has socketpair here: use stdio"));

    /// <summary>Starts a child that opens shared memory by this name.</summary>
    /// <inheritdoc cref="Start(Address.Child)" path="/exception"/>
    internal static ChildProgram Start(Address.Child address, string name) =>
        Start(address, start => new ChildProgram(address, start(name), -1));

    /// <summary>Starts a child that inherits these descriptors, and no other process does.</summary>
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
        // A program that dies would die again. So it is not started for ever.
        if (Dead([address]) is not null)
            throw CannotConnect.Because(address, "a child has ended");
        // Only one child at a time is started here. Otherwise another child would inherit the end of the first one, and its death
        // would not be noticed.
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

    /// <summary>Completes when the child has ended, which its standard error tells.</summary>
    internal Task Ended => ended.Task;

    /// <summary>Notes that the child has ended the connection.</summary>
    /// <param name="why">What the child did, after its own last words. Null when it only ended.</param>
    internal void NoteEnd(string? why = null)
    {
        if (why is not null)
            Add(why);
        hasEndedFirst = ending is null || hasEndedFirst;
    }

    /// <summary>
    /// Takes the descriptors, which the caller closes from now on: the client's end of the socketpair for both, or the
    /// pipe to read from and the pipe to write to.
    /// </summary>
    [SupportedOSPlatform("linux")]
    internal (int Input, int Output) TakeDescriptors() => descriptor >= 0 ? (descriptor, descriptor)
        : (Own(process.StandardOutput.BaseStream), Own(process.StandardInput.BaseStream));

    /// <summary>Makes a stream. The stream owns the child.</summary>
    internal Stream ToStream()
    {
        if (descriptor < 0)
            return new ChildStream(this, process.StandardOutput.BaseStream, process.StandardInput.BaseStream);
        var socket = new NetworkStream(new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)), ownsSocket: true);
        return new ChildStream(this, socket, socket);
    }

    /// <summary>Ends the child when its connection is closed. Returns at once; <see cref="EndAsync"/> waits for the end.</summary>
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
            // The child has closed it, or the connection has.
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

    // A thread of its own reads standard error, since a child stops when nobody reads what it writes. On Windows a read of a pipe
    // would keep a thread of the pool.
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
