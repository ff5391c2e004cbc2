using System.ComponentModel;

namespace IpcBench.Host;

public abstract partial class ConnectionStates
{
    private static LinuxStates? OpenLinux(IReadOnlyList<LocalEndpoint> endpoints)
    {
        LinuxStates? states = null;
        try
        {
            states = new LinuxStates(endpoints);
            states.Read(new ConnectionTally[endpoints.Count]); // a kernel without the module of a family says so now
            return states;
        }
        catch (Win32Exception)
        {
            states?.Dispose();
            return null;
        }
    }

    private sealed class LinuxStates(IReadOnlyList<LocalEndpoint> endpoints) : ConnectionStates
    {
        private readonly SocketDiag diag = new();

        private readonly TcpStates? tcp = endpoints.Any(endpoint => endpoint is LocalEndpoint.Tcp)
            ? new TcpStates([.. endpoints.Select(endpoint => (ushort?)(endpoint as LocalEndpoint.Tcp)?.Port)])
            : null;

        private readonly UnixStates? unix = endpoints.Any(endpoint => endpoint is LocalEndpoint.Unix)
            ? new UnixStates([.. endpoints.Select(endpoint => (endpoint as LocalEndpoint.Unix)?.Name)])
            : null;

        public override void Read(Span<ConnectionTally> tallies, bool timeWait = true)
        {
            foreach (ref var tally in tallies)
                tally = new ConnectionTally(0, 0, 0, 0, timeWait ? 0 : tally.TimeWait);
            tcp?.Read(diag, tallies, timeWait);
            unix?.Read(diag, tallies);
        }

        public override void Dispose() => diag.Dispose();
    }
}
