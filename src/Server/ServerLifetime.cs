using System.Runtime.InteropServices;
using IpcBench.Server.Options;

namespace IpcBench.Server;

/// <summary>
/// The process of the server. Prints the served addresses, and stops at a signal or when its owner (the client that
/// started it) ends.
/// </summary>
internal static class ServerLifetime
{
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(1.8);

    /// <summary>Serves until a signal arrives or, with <c>--owned</c>, standard input ends.</summary>
    public static async Task<int> RunAsync(ServerOptions options)
    {
        var stop = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var interrupt = OnSignal(PosixSignal.SIGINT, options.Owned ? null : stop);
        using var quit = OnSignal(PosixSignal.SIGQUIT, options.Owned ? null : stop);
        using var terminate = OnSignal(PosixSignal.SIGTERM, stop);
        using var hangUp = OnSignal(PosixSignal.SIGHUP, stop);
        await using var server = await BenchServer.StartAsync(options, Console.Error);
        foreach (var endpoint in server.Endpoints)
        {
            var note = (endpoint.IsEcho ? ", echo" : "") + (endpoint.Note is { } text ? ", " + text : "");
            await Console.Out.WriteLineAsync($"listening on {endpoint.Address} ({endpoint.Address.Kind}{note})");
        }
        await Console.Out.WriteLineAsync("GrpcBench server ready");
        await Console.Out.FlushAsync();
        if (options.Owned)
            EndWithInput(stop);
        await stop.Task;
        await StopAsync(server);
        return 0;
    }

    private static async Task StopAsync(BenchServer server)
    {
        try
        {
            await server.StopAsync().WaitAsync(StopLimit);
        }
        catch (TimeoutException)
        {
            // Even if a call hangs, the socket files are removed and the process ends.
            server.RemoveSockets();
            Environment.Exit(0);
        }
    }

    private static PosixSignalRegistration OnSignal(PosixSignal signal, TaskCompletionSource? stop) =>
        PosixSignalRegistration.Create(signal, context =>
    {
        context.Cancel = true;
        stop?.TrySetResult();
    });

    // A thread blocks in Read, because the end of standard input is the only sign that the owner was killed.
    private static void EndWithInput(TaskCompletionSource stop)
    {
        var input = Console.OpenStandardInput();
        new Thread(() =>
        {
            var ignored = new byte[256];
            try
            {
                while (input.Read(ignored) > 0)
                {
                }
            }
            catch (IOException)
            {
                // If standard input cannot be read, it counts as ended.
            }
            stop.TrySetResult();
        })
        { IsBackground = true, Name = "owner's end" }.Start();
    }
}
