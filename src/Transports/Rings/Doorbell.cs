using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Rings;

/// <summary>The mechanism with which one side of a connection sleeps, and with which the other side wakes it.</summary>
internal abstract class Doorbell : IDisposable
{
    /// <summary>Wakes the sleeping side, or lets its next sleep end at once. Any thread may call this.</summary>
    public abstract void Ring();

    /// <summary>Sleeps until the other side rings. The sleep may also end without a ring.</summary>
    public abstract void Sleep();

    public virtual void Dispose()
    {
    }
}

/// <summary>
/// futex(2) on the word that is 1 while the side sleeps. The side that rings has set the word to 0 before.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class FutexBell(int* word) : Doorbell
{
    private const nint Wait = 0, Wake = 1;

    public override void Ring() => Native.Futex(word, Wake, 1);

    public override void Sleep() => Native.Futex(word, Wait, 1);
}

/// <summary>A descriptor of eventfd(2). A read blocks until there was a write to the descriptor.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EventFdBell(int descriptor) : Doorbell
{
    /// <exception cref="IOException">The process has no descriptor left.</exception>
    private static EventFdBell Create() => new(Native.EventFd(0, Native.CloseOnExec) is >= 0 and var descriptor
        ? descriptor : throw new IOException("no eventfd: " + Marshal.GetLastPInvokeErrorMessage()));

    /// <summary>Makes the descriptors of both sides. If the second cannot be made, the first is closed again.</summary>
    /// <inheritdoc cref="Create" path="/exception"/>
    public static (EventFdBell Client, EventFdBell Child) CreatePair()
    {
        var client = Create();
        try
        {
            return (client, Create());
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    public int Descriptor => descriptor;

    public override void Ring()
    {
        var one = 1L;
        Native.Write(descriptor, &one, sizeof(long));
    }

    public override void Sleep()
    {
        long count;
        Native.Read(descriptor, &count, sizeof(long));
    }

    public override void Dispose() => Native.Close(descriptor);
}

/// <summary>A named event of Windows, which resets itself when a thread has waited for it.</summary>
[SupportedOSPlatform("windows")]
internal sealed class EventBell(string name) : Doorbell
{
    private readonly EventWaitHandle handle = new(false, EventResetMode.AutoReset, name);

    public override void Ring() => handle.Set();

    public override void Sleep() => handle.WaitOne();

    public override void Dispose() => handle.Dispose();
}
