namespace IpcBench.Host;

/// <summary>What is under and around this process on Linux: hypervisor and container, as systemd-detect-virt tells them.</summary>
internal static class Virtualization
{
    /// <summary><c>kvm, docker</c>; empty on bare metal. <paramref name="cpuid"/> is the hypervisor that the processor names.</summary>
    public static string Describe(ISystemFiles files, string cpuid)
    {
        var machine = Machine(files);
        // Clouds put their name into the firmware of bare metal too: it counts only beside a hypervisor.
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
