using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;

namespace IpcBench.Host;

public sealed partial record HostFacts
{
    [SupportedOSPlatform("windows")]
    private static HostFacts ReadWindows(HostFacts host) => host with
    {
        Kernel = Environment.OSVersion.Version.ToString(),
        CpuModel = host.CpuModel.Length > 0 ? host.CpuModel : Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER") ?? "",
        Virtualization = IsWine() ? "wine" : host.Virtualization,
        CpuQuota = JobQuota(),
        LogicalCpus = ActiveProcessors(),
        PhysicalCores = CountRelations(RelationProcessorCore),
        Sockets = CountRelations(RelationProcessorPackage),
        Governor = PowerScheme(),
        ClockSource = string.Create(CultureInfo.InvariantCulture, $"QueryPerformanceCounter {Stopwatch.Frequency} Hz"),
        MemoryBytes = PhysicalMemory() is > 0 and var bytes ? bytes : host.MemoryBytes,
    };

    private const int RelationProcessorCore = 0;
    private const int RelationProcessorPackage = 3;
    private const ushort AllProcessorGroups = 0xFFFF;
    private const int JobObjectCpuRateControlInformation = 15;
    private const uint CpuRateEnabled = 1, CpuRateHardCap = 4;

    private static bool IsWine() =>
        NativeLibrary.TryLoad("ntdll.dll", out var library) && NativeLibrary.TryGetExport(library, "wine_get_version", out _);

    /// <summary>
    /// Counts the processors of the machine. <see cref="Environment.ProcessorCount"/> counts only the processors that
    /// this process may use.
    /// </summary>
    internal static int ActiveProcessors() =>
        GetActiveProcessorCount(AllProcessorGroups) is > 0 and var count ? (int)count : Environment.ProcessorCount;

    // The buffer holds records of varying length, each with 4 bytes of kind and 4 bytes of size before its data.
    private static int CountRelations(int kind)
    {
        var length = 0u;
        _ = GetLogicalProcessorInformationEx(kind, [], ref length);
        var buffer = new byte[length];
        if (length == 0 || !GetLogicalProcessorInformationEx(kind, buffer, ref length))
            return 0;
        var count = 0;
        for (var at = 0; at + 8 <= length; at += Math.Max(8, BitConverter.ToInt32(buffer, at + 4)))
            count++;
        return count;
    }

    private static long PhysicalMemory()
    {
        var status = new MemoryStatus { Length = (uint)Marshal.SizeOf<MemoryStatus>() };
        return GlobalMemoryStatusEx(ref status) ? (long)status.TotalPhysical : 0;
    }

    // A rate of 10,000 means all processors (JOBOBJECT_CPU_RATE_CONTROL_INFORMATION).
    private static double JobQuota()
    {
        var read = QueryInformationJobObject(0, JobObjectCpuRateControlInformation, out var rate, 8, 0);
        const uint capped = CpuRateEnabled | CpuRateHardCap;
        return read && (rate.Flags & capped) == capped ? rate.Rate / 10_000.0 * ActiveProcessors() : 0;
    }

    private static string PowerScheme()
    {
        try
        {
            return PowerGetActiveScheme(0, out var scheme) == 0 ? PowerSchemeName(scheme) : "";
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            // Nano Server and other small editions have no power management.
            return "";
        }
    }

    /// <summary>
    /// Returns the English name of a power plan that every Windows has, by its ID (winnt.h), because Windows translates
    /// the names. Null for any other plan.
    /// </summary>
    internal static string? PlanOf(Guid scheme) => scheme.ToString() switch
    {
        "381b4222-f694-41f0-9685-ff5bb260df2e" => "Balanced",
        "a1841308-3541-4fab-bc81-f71556f20b4a" => "Power saver",
        "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c" => "High performance",
        _ => null,
    };

    private static string PowerSchemeName(nint scheme)
    {
        try
        {
            if (PlanOf(Marshal.PtrToStructure<Guid>(scheme)) is { } plan)
                return plan;
            var name = new byte[512];
            var size = (uint)name.Length;
            return PowerReadFriendlyName(0, scheme, 0, 0, name, ref size) == 0
                ? Encoding.Unicode.GetString(name, 0, (int)size).TrimEnd('\0')
                : Marshal.PtrToStructure<Guid>(scheme).ToString();
        }
        finally
        {
            _ = LocalFree(scheme);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct MemoryStatus
    {
        public uint Length, Load;
        public ulong TotalPhysical, AvailablePhysical, TotalPageFile, AvailablePageFile, TotalVirtual, AvailableVirtual;
        public ulong AvailableExtendedVirtual;
    }

    private record struct CpuRate(uint Flags, uint Rate);

    [LibraryImport("kernel32")]
    private static partial uint GetActiveProcessorCount(ushort group);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetLogicalProcessorInformationEx(int kind, [Out] byte[] buffer, ref uint length);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GlobalMemoryStatusEx(ref MemoryStatus status);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool QueryInformationJobObject(nint job, int kind, out CpuRate rate, uint length, nint returned);

    [LibraryImport("powrprof")]
    private static partial uint PowerGetActiveScheme(nint key, out nint scheme);

    [LibraryImport("powrprof")]
    private static partial uint PowerReadFriendlyName(nint key, nint scheme, nint group, nint setting, [Out] byte[] name, ref uint size);

    [LibraryImport("kernel32")]
    private static partial nint LocalFree(nint memory);
}
