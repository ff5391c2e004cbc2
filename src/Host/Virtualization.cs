using System.Runtime.Intrinsics.X86;
using System.Text;

namespace IpcBench.Host;

/// <summary>The hypervisor and the container of this process on Linux, by the names of systemd-detect-virt.</summary>
internal static class Virtualization
{
    /// <summary>
    /// Names the hypervisor and the container, for example <c>kvm, docker</c>. Empty on bare metal.
    /// <paramref name="cpuid"/> is the hypervisor that CPUID names.
    /// </summary>
    public static string Describe(ISystemFiles files, string cpuid)
    {
        var machine = Machine(files);
        // The name in the firmware is used only when CPUID names no hypervisor.
        var hypervisor = cpuid.Length > 0 ? cpuid : machine;
        return string.Join(", ", new[] { hypervisor, Container(files) }.Where(part => part.Length > 0));
    }

    private static string Machine(ISystemFiles files)
    {
        if (files.Read("/sys/hypervisor/type") is { Length: > 0 } type)
            return type;
        var firmware = files.Read("/sys/class/dmi/id/sys_vendor") + " " + files.Read("/sys/class/dmi/id/product_name");
        (string Mark, string Name)[] known =
        [
            ("KVM", "kvm"), ("QEMU", "qemu"), ("VMware", "vmware"), ("VirtualBox", "virtualbox"), ("innotek", "virtualbox"), ("Xen", "xen"),
            ("Bochs", "bochs"), ("Parallels", "parallels"), ("BHYVE", "bhyve"), ("Apple Virtualization", "apple"),
            ("Virtual Machine", "hyper-v"),
        ];
        return known.FirstOrDefault(pair => firmware.Contains(pair.Mark, StringComparison.Ordinal)).Name ?? "";
    }

    private static string Container(ISystemFiles files)
    {
        if (files.Read("/proc/sys/kernel/osrelease").Contains("microsoft", StringComparison.OrdinalIgnoreCase))
            return "wsl";
        if (files.Read("/run/systemd/container") is { Length: > 0 } manager)
            return manager;
        const string mark = "container=";
        var environment = files.Read("/proc/1/environ").Split('\0');
        if (environment.FirstOrDefault(text => text.StartsWith(mark, StringComparison.Ordinal)) is { } found)
            return found[mark.Length..];
        return files.Exists("/run/.containerenv") ? "podman" : files.Exists("/.dockerenv") ? "docker" : FromGroups(files);
    }

    private static string FromGroups(ISystemFiles files)
    {
        var groups = files.Read("/proc/1/cgroup") + "\n" + files.Read("/proc/self/cgroup");
        (string Mark, string Name)[] known =
            [("kubepods", "kubernetes"), ("docker", "docker"), ("libpod", "podman"), ("containerd", "containerd"), ("/lxc", "lxc")];
        return known.FirstOrDefault(pair => groups.Contains(pair.Mark, StringComparison.Ordinal)).Name ?? "";
    }
}

/// <summary>What CPUID of an x86 processor reports about the processor and its hypervisor. Empty on other processors.</summary>
internal static class Cpuid
{
    /// <summary>Reads the name under which the processor is sold. Empty when CPUID has no name.</summary>
    public static string Brand()
    {
        const int first = unchecked((int)0x80000002);
        if (!X86Base.IsSupported || unchecked((uint)X86Base.CpuId(unchecked((int)0x80000000), 0).Eax) < 0x80000004)
            return "";
        var bytes = new List<byte>(48);
        for (var leaf = first; leaf <= first + 2; leaf++)
        {
            var (a, b, c, d) = X86Base.CpuId(leaf, 0);
            Append(bytes, a, b, c, d);
        }
        return Text(bytes);
    }

    /// <summary>Returns the hypervisor's usual short name, e.g. <c>kvm</c>. Empty without a hypervisor.</summary>
    public static string Hypervisor()
    {
        // Bit 31 of leaf 1's ECX is reserved for hypervisors. If the bit is set, leaf 0x40000000 holds the twelve
        // letters that name the hypervisor's vendor.
        if (!X86Base.IsSupported || X86Base.CpuId(1, 0).Ecx >= 0)
            return "";
        var (_, b, c, d) = X86Base.CpuId(0x40000000, 0);
        var bytes = new List<byte>(12);
        Append(bytes, b, c, d);
        var name = HypervisorName(Text(bytes));
        // On a machine with Hyper-V switched on, Windows itself runs on the hypervisor, in the partition that may create
        // other partitions (TLFS, leaf 0x40000003, bit 0 of EBX).
        return name == "hyper-v" && (X86Base.CpuId(0x40000003, 0).Ebx & 1) != 0 ? "hyper-v root" : name;
    }

    /// <summary>Returns the short name that systemd-detect-virt uses for a CPUID vendor.</summary>
    public static string HypervisorName(string vendor) => vendor switch
    {
        "KVMKVMKVM" or "Linux KVM Hv" => "kvm",
        "Microsoft Hv" => "hyper-v",
        "VMwareVMware" => "vmware",
        "XenVMMXenVMM" => "xen",
        "TCGTCGTCGTCG" => "qemu",
        "VBoxVBoxVBox" => "virtualbox",
        "bhyve bhyve" => "bhyve",
        "prl hyperv" or "lrpepyh  vr" => "parallels",
        "ACRNACRNACRN" => "acrn",
        "" => "hypervisor",
        _ => vendor,
    };

    private static void Append(List<byte> bytes, params ReadOnlySpan<int> registers)
    {
        foreach (var register in registers)
            bytes.AddRange(BitConverter.GetBytes(register));
    }

    private static string Text(List<byte> bytes) => Encoding.ASCII.GetString([.. bytes]).Trim('\0', ' ');
}
