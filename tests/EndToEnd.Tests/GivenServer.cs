namespace IpcBench.EndToEnd.Tests;

/// <summary>Starts one server for all tests of a class, because a run that starts its own server takes more CPU time.</summary>
public sealed class GivenServer : IAsyncLifetime
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;
    private Tool? server;

    /// <summary>The address of the server's Unix socket, as <c>-U</c> takes it.</summary>
    public string Address => $"unix:{folder}/s.sock";

    public async ValueTask InitializeAsync()
    {
        server = Tool.StartServer("--listen", Address);
        await server.SeesAsync("GrpcBench server ready");
    }

    public async ValueTask DisposeAsync()
    {
        if (server is not null)
            await server.DisposeAsync();
        Directory.Delete(folder, recursive: true);
    }
}
