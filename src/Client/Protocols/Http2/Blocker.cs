namespace IpcBench.Client.Protocols.Http2;

/// <summary>The reason why a stream cannot write.</summary>
internal enum Blocker : byte
{
    None,
    StreamWindow,
    ConnectionWindow,
    Socket,
}
