using System.Diagnostics;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>A way to start a server.</summary>
internal interface IServerCommand
{
    /// <summary>The addresses at which the server is asked to listen. No other program uses them.</summary>
    IReadOnlyList<Address> Addresses { get; }

    /// <summary>
    /// The address at which a successful connection shows that the server is ready. Null for a server that reports
    /// when it is ready, and that ends when its standard input is closed.
    /// </summary>
    Address? Probe { get; }

    /// <summary>The name of the server in messages.</summary>
    string Name { get; }

    /// <summary>Starts the server with redirected standard streams.</summary>
    /// <exception cref="EnvironmentException">The server cannot be started.</exception>
    Process Start();
}
