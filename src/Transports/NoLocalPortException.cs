namespace IpcBench.Transports;

/// <summary>Reports that every local port for an address is in use or in TIME_WAIT, which lasts a minute.</summary>
public sealed class NoLocalPortException(Address address, Exception? inner = null) : CannotConnectException(
    address,
    "no local port is free, because all are in use or in TIME_WAIT, which lasts a minute: "
    + (OperatingSystem.IsWindows() ? "wait, or widen the range of local ports (netsh int ipv4 set dynamicport tcp start=10000 num=55536)"
        : "wait, or widen net.ipv4.ip_local_port_range"),
    inner);
