using System.Runtime.InteropServices;

namespace IpcBench.Client.Run;

/// <summary>
/// Handles Ctrl-C, Ctrl-Break, SIGTERM, SIGHUP and <c>q</c>. The first of them ends the run and keeps its
/// measurements. A further signal ends the process.
/// </summary>
internal sealed class Interruption : IDisposable
{
    private readonly CancellationTokenSource source = new();
    private readonly List<PosixSignalRegistration> registrations = [];

    public Interruption()
    {
        foreach (var signal in new[] { PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGQUIT, PosixSignal.SIGHUP })
            registrations.Add(PosixSignalRegistration.Create(signal, OnSignal));
    }

    public CancellationToken Token => source.Token;

    /// <summary>Ends the run, as Ctrl-C does. The run never continues on the caller's thread.</summary>
    public void Request() => _ = source.CancelAsync();

    public void Dispose()
    {
        registrations.ForEach(registration => registration.Dispose());
        source.Dispose();
    }

    private void OnSignal(PosixSignalContext context)
    {
        if (source.IsCancellationRequested)
            return; // for the second signal the system's default ends the process

        context.Cancel = true;
        source.Cancel();
    }
}
