using System.IO.Pipelines;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.LoopSockets;

/// <summary>Runs continuations on the thread of an event loop: at once when called there, else posted.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopScheduler(EventLoop loop, Action<Exception> onFault) : PipeScheduler
{
    public EventLoop Loop => loop;

    public override void Schedule(Action<object?> action, object? state)
    {
        if (!loop.IsCurrent)
        {
            loop.Post(action, state);
            return;
        }
        try
        {
            action(state);
        }
#pragma warning disable CA1031 // Whatever an application throws here must not end the loop, and with it the process.
        catch (Exception e)
#pragma warning restore CA1031
        {
            onFault(e);
        }
    }
}
