namespace IpcBench.Host.Tests;

public class PortSpaceTests
{
    [Theory]
    [InlineData("32768\t60999", "sockets: used 5\nTCP: inuse 3 orphan 0 tw 232 alloc 5 mem 1", 28000)]
    [InlineData("32768\t60999", "", 28232)]
    [InlineData("", "", 0)]
    public void Free_ports_are_the_range_minus_ports_in_TIME_WAIT(string range, string sockets, int expected) =>
        Assert.Equal(expected, PortSpace.Linux(new CapturedFiles(
        ("/proc/sys/net/ipv4/ip_local_port_range", range),
        ("/proc/net/sockstat", sockets))));
}
