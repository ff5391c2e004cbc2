
namespace IpcBench.Host.Tests;

public class VirtualizationTests
{
    [Fact]
    public void Bare_metal_has_no_virtualization() =>
        Assert.Equal("", Virtualization.Describe(new CapturedFiles(("/sys/class/dmi/id/sys_vendor", "Dell Inc.")), ""));

    [Theory]
    [InlineData("kvm", "/.dockerenv", "", "kvm, docker")]
    [InlineData("", "/run/.containerenv", "", "podman")]
    [InlineData("hyper-v", "/proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2", "hyper-v, wsl")]
    [InlineData("", "/proc/1/environ", "TERM=x\0container=lxc\0HOME=/", "lxc")]
    [InlineData("", "/proc/self/cgroup", "0::/kubepods.slice/kubepods-besteffort.slice/x", "kubernetes")]
    [InlineData("", "/sys/class/dmi/id/product_name", "VirtualBox", "virtualbox")]
    [InlineData("", "/sys/hypervisor/type", "xen", "xen")]
    public void Each_mark_of_a_hypervisor_or_container_is_recognised(string cpuid, string path, string text, string expected) =>
        Assert.Equal(expected, Virtualization.Describe(new CapturedFiles((path, text)), cpuid));

    [Theory]
    [InlineData("KVMKVMKVM", "kvm")]
    [InlineData("Microsoft Hv", "hyper-v")]
    [InlineData("SomethingNew", "SomethingNew")]
    [InlineData("", "hypervisor")]
    public void The_vendor_text_of_a_hypervisor_becomes_its_usual_name(string vendor, string expected) =>
        Assert.Equal(expected, Cpuid.HypervisorName(vendor));
}
