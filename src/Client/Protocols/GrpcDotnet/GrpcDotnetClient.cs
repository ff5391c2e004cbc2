using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.GrpcDotnet;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols;

/// <summary>The row of Grpc.Net.Client: a channel and a handler for each connection, as in an application.</summary>
internal static partial class ProtocolTable
{
    static partial void AddGrpcDotnet(ref OptionalClient? client) =>
        client = new OptionalClient(GrpcDotnetConnection.LibraryVersion, OverGrpcDotnet);

    private static ConnectionSource OverGrpcDotnet(LoadOptions options)
    {
        // The handler adds TLS itself. Otherwise it would send the scheme http, which a server might reject.
        var address = options.Address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : options.Address;
        // A pipe is no socket, so .NET connects it in either case.
        var connector = options.OnLoops && EventLoop.IsSupported && address is not Address.Pipe
            ? new PipedConnector(address, options.Connector) : Connector.For(address, options.Connector);
        // All calls send the same message object, as an application reuses a buffer: the sending is measured, not the
        // making of the message.
        var upload = options.Mode == CallMode.Unary ? null : new Payload
        {
            Payload_ = UnsafeByteOperations.UnsafeWrap(PayloadFrame.Of((int)options.Size).AsMemory()[^(int)options.Size..]),
        };
        (long, long)? stream = CallMode.IsStream(options.Mode) ? (options.Messages, options.Chunk) : null;
        var notes = new FailureNotes(options.Call?.Secrets);
        return new ConnectionSource(
            scheduler => new GrpcDotnetConnection(
                scheduler, options, upload, stream, options.Call, notes, connector, options.Connector, options.Http2Window)
            {
                Reopens = !options.ConnectPerCall,
            },
            UsesLoops: false,
            () => connector.Retries,
            Notes: notes);
    }
}
