// Gives any server of ASP.NET Core on .NET 10 a memory pool of 64 KiB blocks, without a change of its code:
//   dotnet build -c Release receiving-blocks.cs -o /tmp/blocks
//   DOTNET_STARTUP_HOOKS=/tmp/blocks/IpcBench.receiving-blocks.cs.dll SERVER
#:sdk Microsoft.NET.Sdk.Web
#:property PublishAot=false
using System.Buffers;
using System.Diagnostics;
using Microsoft.AspNetCore.Connections;

Console.WriteLine("This is no program: name it in DOTNET_STARTUP_HOOKS of a server.");

internal static class StartupHook
{
    public static void Initialize() => DiagnosticListener.AllListeners.Subscribe(new Hosts());
}

// A host tells of itself before it is built; its services can still be changed then.
internal sealed class Hosts : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    public void OnNext(DiagnosticListener listener)
    {
        if (listener.Name == "Microsoft.Extensions.Hosting")
            listener.Subscribe(this);
    }

    public void OnNext(KeyValuePair<string, object?> told)
    {
        if (told is { Key: "HostBuilding", Value: IHostBuilder host })
            host.ConfigureServices(services => services.AddSingleton<IMemoryPoolFactory<byte>>(new Blocks()));
    }

    public void OnCompleted() { }

    public void OnError(Exception error) { }
}

internal sealed class Blocks : MemoryPool<byte>, IMemoryPoolFactory<byte>
{
    public override int MaxBufferSize => 65536;
    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => Shared.Rent(MaxBufferSize);
    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => this;
    protected override void Dispose(bool disposing) { }
}
