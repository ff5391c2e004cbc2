namespace IpcBench.Server.Options;

internal enum SocketEngine
{
    /// <summary>System.Net.Sockets, through Kestrel.</summary>
    DotNet,

    /// <summary>The event loop of IpcBench.Transports, on Linux only.</summary>
    Loop,

    /// <summary>System.Net.Sockets without Kestrel for raw echoes. Other endpoints are served as by <see cref="DotNet"/>.</summary>
    Bare,
}
