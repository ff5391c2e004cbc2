using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Echo;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.Http2;

namespace IpcBench.Client.Protocols;

/// <summary>The clients and protocols there are: one line each.</summary>
internal static partial class ProtocolTable
{
    /// <summary>Client implementations.</summary>
    public const string Wire = "wire", GrpcDotnet = "grpc-dotnet";

    /// <summary>Protocols: what a call is on the wire.</summary>
    public const string Grpc = "grpc", Http1 = "http1", Http2 = "http2", Echo = "echo";

    /// <summary>Where this is spoken, a server may tell about itself by gRPC.</summary>
    public static bool IsGrpcServed(string protocol) => protocol is Grpc or Http2;

    /// <summary>Why there is no such client here, in one sentence; null when there is.</summary>
    public static string? Refusal(string client) => client switch
    {
        Wire => null,
        GrpcDotnet => GrpcDotnetVersion is not null ? null
            : "this build has no grpc-dotnet client, because a package that it needs could not be found when it was built: dotnet build -p:GrpcDotnet=true says which",
        _ => $"there is no client '{client}': it is {Wire} or {GrpcDotnet}",
    };

    /// <summary>The version of Grpc.Net.Client in this build; null when it was not to be had.</summary>
    public static string? GrpcDotnetVersion
    {
        get
        {
            string? version = null;
            AddGrpcDotnetVersion(ref version);
            return version;
        }
    }

    /// <exception cref="ArgumentException">There is no such client for this protocol.</exception>
    /// <exception cref="IOException">The address cannot be resolved.</exception>
    public static async Task<IConnectionFactory> FactoryAsync(LoadOptions options, CancellationToken cancellation)
    {
        if (!options.ConnectPerCall)
            return await KeepingAsync(options, cancellation);
        // What closes a connection after every call must leave the same traces behind as applications do.
        return new PerCallFactory(await KeepingAsync(options with { Connector = options.Connector with { ResetOnClose = false } }, cancellation));
    }

    private static async Task<IConnectionFactory> KeepingAsync(LoadOptions options, CancellationToken cancellation) => (options.Client, options.Protocol) switch
    {
        (Wire, Grpc or Http2) => await Http2Factory.CreateAsync(options, cancellation),
        (Wire, Http1) => await HttpFactory.CreateAsync(options, cancellation),
        (Wire, Echo) => await EchoFactory.CreateAsync(options, cancellation),
        (GrpcDotnet, Grpc) => CreateGrpcDotnet(options) ?? throw new ArgumentException(Refusal(options.Client)),
        _ => throw new ArgumentException($"the client '{options.Client}' does not speak '{options.Protocol}'"),
    };

    // In the folder GrpcDotnet, where that is compiled.
    static partial void AddGrpcDotnet(LoadOptions options, ref IConnectionFactory? factory);

    static partial void AddGrpcDotnetVersion(ref string? version);

    private static IConnectionFactory? CreateGrpcDotnet(LoadOptions options)
    {
        IConnectionFactory? factory = null;
        AddGrpcDotnet(options, ref factory);
        return factory;
    }
}
