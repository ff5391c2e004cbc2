namespace IpcBench.Client.Protocols.Http2;

/// <summary>Why a stream cannot write: a closed flow-control window or a full socket. None when the stream can write.</summary>
internal enum Blocker : byte
{
    None,
    StreamWindow,
    ConnectionWindow,
    Socket,
}
