using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>The run that the machine is examined for.</summary>
internal sealed record DoctorOptions
{
    /// <summary>Most connections of any cell.</summary>
    public int Connections { get; init; } = 400;

    public int Threads { get; init; } = 5;

    /// <summary>Accept queue that the server asks for.</summary>
    public int Backlog { get; init; } = 4096;

    /// <summary>Socket buffer in bytes asked for; null leaves the system's choice.</summary>
    public int? SocketBuffer { get; init; }

    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>Somebody else's server to measure; empty: the client starts its own.</summary>
    public IReadOnlyList<Address> Targets { get; init; } = [];

    /// <summary>Addresses to look at for servers and remains; the server's defaults in <c>doctor</c>, none before a run.</summary>
    public IReadOnlyList<Address> Neighbours { get; init; } = [];

    /// <summary>Where results go; null when they are not kept.</summary>
    public string? ResultsFolder { get; init; } = "results";

    /// <summary>The run connects over TCP, which takes a local port for every connection.</summary>
    public bool Tcp { get; init; } = true;

    /// <summary>The run needs a certificate made.</summary>
    public bool Tls { get; init; }

    /// <summary>How long to watch what others do with the machine.</summary>
    public TimeSpan Watch { get; init; } = TimeSpan.FromMilliseconds(150);
}
