namespace IpcBench.Transports;

/// <summary>Every local port towards that address is in use or waits out its minute (TIME_WAIT).</summary>
/// <param name="where">The address.</param>
/// <param name="inner">What the system said.</param>
public sealed class NoLocalPortException(string where, Exception? inner = null) : IOException(
    $"cannot connect to {where}: no local port is free, all are in use or wait out their minute (TIME_WAIT): "
    + "wait, or widen net.ipv4.ip_local_port_range",
    inner);
