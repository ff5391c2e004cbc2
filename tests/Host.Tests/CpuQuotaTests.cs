
namespace IpcBench.Host.Tests;

public class CpuQuotaTests
{
    [Theory]
    [InlineData("200000 100000", 2)]
    [InlineData("50000 100000", 0.5)]
    [InlineData("max 100000", 0)]
    [InlineData("", 0)]
    [InlineData("x y", 0)]
    public void A_cgroup_v2_limit_is_quota_over_period(string text, double expected) => Assert.Equal(expected, CpuQuota.V2(text));

    [Theory]
    [InlineData("-1", "100000", 0)]
    [InlineData("150000", "100000", 1.5)]
    [InlineData("150000", "0", 0)]
    public void A_cgroup_v1_limit_is_quota_over_period(string quota, string period, double expected) =>
        Assert.Equal(expected, CpuQuota.V1(quota, period));

    [Fact]
    public void The_tightest_limit_of_a_cgroup_and_its_parents_counts() => Assert.Equal(1.5, CpuQuota.Read(new CapturedFiles(
        ("/proc/self/cgroup", "0::/system.slice/bench.service\n"),
        ("/sys/fs/cgroup/system.slice/bench.service/cpu.max", "400000 100000\n"),
        ("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n"))));

    [Fact]
    public void The_limit_of_a_containers_cgroup_is_read_at_the_mount_root() => Assert.Equal(2, CpuQuota.Read(new CapturedFiles(
        ("/proc/self/cgroup", "5:cpu,cpuacct:/docker/0123abc\n1:name=systemd:/docker/0123abc\n"),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n"),
        ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"))));

    [Fact]
    public void Without_any_limit_the_quota_is_zero() => Assert.Equal(0, CpuQuota.Read(new CapturedFiles(
        ("/proc/self/cgroup", "4:memory:/x\n1:cpu:/\n0::/\n"),
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1"),
        ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"))));
}
