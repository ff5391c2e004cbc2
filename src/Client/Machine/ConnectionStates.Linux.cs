using System.ComponentModel;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Machine;

internal abstract partial class ConnectionStates
{
    private static LinuxStates? OpenLinux(IReadOnlyList<Watch> watches)
    {
        LinuxStates? states = null;
        try
        {
            states = new LinuxStates(watches);
            states.Read(new ConnectionTally[watches.Count]); // a kernel without the module of a family says so now
            return states;
        }
        catch (Win32Exception)
        {
            states?.Dispose();
            return null;
        }
    }

    private sealed class LinuxStates(IReadOnlyList<Watch> watches) : ConnectionStates
    {
        private readonly SocketDiag diag = new();
        private readonly TcpStates? tcp = watches.Any(watch => Port(watch.Address) is not null) ? new TcpStates([.. watches.Select(watch => Port(watch.Address))]) : null;
        private readonly UnixStates? unix = watches.Any(watch => Name(watch.Address) is not null) ? new UnixStates([.. watches.Select(watch => Name(watch.Address))]) : null;

        public override void Read(Span<ConnectionTally> tallies, bool timeWait = true)
        {
            foreach (ref var tally in tallies)
                tally = new ConnectionTally(0, 0, 0, 0, timeWait ? 0 : tally.TimeWait);
            tcp?.Read(diag, tallies, timeWait);
            unix?.Read(diag, tallies);
        }

        public override void Dispose() => diag.Dispose();

        private static ushort? Port(Address address) => address switch
        {
            Address.Tcp tcp => (ushort)tcp.Port,
            Address.Tls tls => (ushort)tls.Port,
            _ => null,
        };

        // As the kernel names it: an abstract name begins with a zero.
        private static string? Name(Address address) => address switch
        {
            Address.Unix unix => unix.Path,
            Address.UnixAbstract unix => "\0" + unix.Name,
            Address.Pipe pipe => NamedPipeConnector.UnixSocketPath(pipe.Name),
            _ => null,
        };
    }
}
