using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>The properties of the planned run that the checks need.</summary>
internal sealed record DoctorOptions
{
    /// <summary>The largest number of connections that a cell of the run has.</summary>
    public int Connections { get; init; } = 400;

    public int Threads { get; init; } = 5;

    /// <summary>
    /// The length of the accept queue that the server asks for (<c>--backlog</c>). Null for a server that this tool does not start, whose
    /// queue is unknown.
    /// </summary>
    public int? Backlog { get; init; } = UsualBacklog;

    /// <summary>The length of the accept queue that this tool's server asks for without <c>--backlog</c>.</summary>
    public const int UsualBacklog = 4096;

    /// <summary>The requested socket buffer in bytes. Null means the system's default.</summary>
    public int? SocketBuffer { get; init; }

    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>The servers of <c>-U</c>. Empty without <c>-U</c>.</summary>
    public IReadOnlyList<Address> Targets { get; init; } = [];

    /// <summary>
    /// Addresses to check for servers and stale files: the server's default addresses in <c>doctor</c> without <c>-U</c>, else none.
    /// </summary>
    public IReadOnlyList<Address> Neighbours { get; init; } = [];

    /// <summary>The folder for results files. Null when no results file is saved.</summary>
    public string? ResultsFolder { get; init; } = "results";

    /// <summary>True when the run connects over TCP, which needs a local port for every connection.</summary>
    public bool Tcp { get; init; } = true;

    /// <summary>True when the run needs a certificate.</summary>
    public bool Tls { get; init; }

    /// <summary>How long the CPU use of other programs is watched.</summary>
    public TimeSpan Watch { get; init; } = TimeSpan.FromMilliseconds(150);
}
