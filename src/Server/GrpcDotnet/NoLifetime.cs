namespace IpcBench.Server.GrpcDotnet;

/// <summary>A host that starts and stops when it is told to, and at no other time.</summary>
internal sealed class NoLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
