using System.ComponentModel;
using System.Diagnostics;
using System.IO.Pipes;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;

namespace IpcBench.Transports;

/// <summary>
/// A child process that serves one connection, on its standard input and output, on a socketpair(2) or in shared
/// memory. The child must end when the connection is closed. This class kills a child that still runs 2 s later.
/// </summary>
internal sealed class ChildProgram : IDisposable
{
    // How long a child may take to end by itself, and how long to wait for its last output on standard error.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(2), LastWords = TimeSpan.FromMilliseconds(500);

    private const int MostWords = 1000;

    private readonly Process process;
    private readonly StringBuilder words = new();
    private readonly Thread reader;
    private readonly int descriptor;
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock gate = new();
    private volatile Task? ending;
    private volatile bool hasEndedFirst;

    /// <param name="process">The child, with redirected standard streams.</param>
    /// <param name="descriptor">The client's end of a socketpair. -1 for the other transports.</param>
    public ChildProgram(Address.Child address, Process process, int descriptor)
    {
        (Address, this.process, this.descriptor) = (address, process, descriptor);
        reader = new Thread(ReadWords) { IsBackground = true, Name = $"words of {Address.Kind}" };
        reader.Start();
    }

    public Address.Child Address { get; }

    public int Id => process.Id;

    /// <summary>Whether the client has not begun to end the child.</summary>
    public bool IsServing => ending is null;

    /// <summary>Whether the child ended its connection before the client closed the connection.</summary>
    public bool HasEndedFirst => hasEndedFirst;

    /// <summary>Completes when the child's standard error ends, which shows that the child has ended.</summary>
    public Task Ended => ended.Task;

    /// <summary>Notes that the child has ended the connection.</summary>
    /// <param name="why">
    /// What the child did wrong. The text is appended to the child's output on standard error. Null when the child only
    /// ended.
    /// </param>
    public void NoteEnd(string? why = null)
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
    public (int Input, int Output) TakeDescriptors() => descriptor >= 0 ? (descriptor, descriptor)
        : (Own(process.StandardOutput.BaseStream), Own(process.StandardInput.BaseStream));

    /// <summary>Makes a stream of the connection. Disposing the stream ends the child.</summary>
    public Stream ToStream()
    {
        if (descriptor < 0)
            return new ChildStream(this, process.StandardOutput.BaseStream, process.StandardInput.BaseStream);
        var socket = new NetworkStream(new Socket(new SafeSocketHandle(descriptor, ownsHandle: true)), ownsSocket: true);
        return new ChildStream(this, socket, socket);
    }

    /// <summary>Waits a moment for the end of the child, and returns its exit code. Null while the child runs.</summary>
    public int? ExitCode() => process.WaitForExit(LastWords) ? process.ExitCode : null;

    /// <summary>Begins to end the child and returns at once. <see cref="EndAsync"/> waits for the end.</summary>
    public void Dispose()
    {
        lock (gate)
            ending ??= Task.Run(FinishAsync);
    }

    /// <summary>Ends the child. Afterwards this object must not be used.</summary>
    public async Task EndAsync()
    {
        Dispose();
        await ending!;
        process.Dispose();
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
            if (Kill())
                await process.WaitForExitAsync(CancellationToken.None);
        }
        if (!hasEndedFirst)
            Children.Forget(this);
    }

    /// <summary>Kills the child and its descendants. Returns false if the system refuses it (a child of another user: sudo).</summary>
    private bool Kill()
    {
        try
        {
            process.Kill(entireProcessTree: true);
            return true;
        }
        catch (Exception e) when (e is InvalidDataException or AggregateException or Win32Exception)
        {
            // .NET could not read another process of the machine, or not kill a descendant.
        }
        try
        {
            process.Kill();
            return true;
        }
        catch (Win32Exception)
        {
            return false;
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

    /// <summary>Returns the last lines of the child's output on standard error. Waits a moment for them.</summary>
    public string Words()
    {
        reader.Join(LastWords);
        lock (words)
            return string.Join(' ', words.ToString().Split((char[])['\n', '\r'], StringSplitOptions.RemoveEmptyEntries).TakeLast(3)).Trim();
    }

    [SupportedOSPlatform("linux")]
    private static int Own(Stream stream)
    {
        // The descriptor is taken away from the stream and not duplicated, since there may be no free descriptor.
        var handle = ((PipeStream)stream).SafePipeHandle;
        var descriptor = (int)handle.DangerousGetHandle();
        handle.SetHandleAsInvalid();
        Descriptor.SetNonBlocking(descriptor);
        return descriptor;
    }
}
