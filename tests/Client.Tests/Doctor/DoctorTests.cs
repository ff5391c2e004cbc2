using IpcBench.Analysis.Results;
using IpcBench.Client.Doctor;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Transports;
using Examination = IpcBench.Client.Doctor.Doctor;

namespace IpcBench.Client.Tests.Doctor;

public class DoctorTests
{
    private static readonly DoctorFacts Healthy = new()
    {
        Options = new DoctorOptions(),
        Host = new HostInfo { SoMaxConn = 4096, ClockSource = "tsc", GcMode = "workstation", Governor = "performance" },
        OpenFiles = new OpenFileLimit(20000, 20000),
        Cpus = 8,
        ClockNs = 25,
        FreePorts = 28000,
        Machine = new MachineTimes(10_000_000, 0, 0, 1_200_000_000),
        TempFolder = "/tmp/",
    };

    private static Finding Judged(string check, DoctorFacts facts) =>
        Assert.Single(Examination.Judge(facts), finding => finding.Check == check);

    [Fact]
    public void On_a_healthy_machine_every_finding_is_ok_and_has_no_fix() => Assert.All(Examination.Judge(Healthy), finding =>
    {
        Assert.Equal(Level.Ok, finding.Level);
        Assert.Equal("", finding.Fix);
        Assert.NotEqual("", finding.Text);
    });

    public static TheoryData<string, string, string> Sick => new()
    {
        { "open-files", "Problem",
            "raise the hard limit (ulimit -Hn as root, LimitNOFILE= of a service, --ulimit nofile= of a container) or use "
            + "-c 412 at most" },
        { "accept-queue", "Warn", "sysctl -w net.core.somaxconn=4096" },
        { "ports", "Problem",
            "sysctl -w net.ipv4.ip_local_port_range='1024 65535' (Windows: netsh int ipv4 set dynamicport tcp start=10000 num=55536), "
            + "wait a minute, or use fewer connections" },
        { "socket-buffers", "Warn", "sysctl -w net.core.rmem_max=4194304 net.core.wmem_max=4194304" },
        { "cpu-quota", "Warn",
            "run without a CPU limit (docker --cpus, CPUQuota= of a service, Kubernetes limits.cpu), or assign whole CPUs "
            + "with a CPU set instead" },
        { "cores", "Warn",
            "compare transports by their ratios and CPU per call; for absolute figures use a machine with 4 CPUs or more; "
            + "threads beyond the number of CPUs only cost time, so use -t 2" },
        { "governor", "Warn", "cpupower frequency-set -g performance (Windows: powercfg /setactive SCHEME_MIN)" },
        { "clock", "Warn", "use the processor's own clock (clocksource=tsc on the kernel's command line)" },
        { "foreign-load", "Warn", "stop these programs, or plan more rounds" },
        { "build", "Warn", "build and run the client with -c Release" },
        { "gc", "Warn", "unset DOTNET_gcServer for the client; --server-gc is for the server" },
        { "runtime-variables", "Warn", "unset these variables, unless you want to measure their effect" },
        { "temp-folder", "Problem", "set TMPDIR (Windows: TMP) to a folder that you may write to" },
        { "results-folder", "Problem", "name another file with -o, or run with --no-save" },
        { "certificates", "Warn", "leave tls out of --transports; the other transports work" },
    };

    [Theory]
    [MemberData(nameof(Sick))]
    public void Each_problem_is_reported_together_with_the_right_fix(string check, string level, string fix)
    {
        var sick = Healthy with
        {
            Options = new DoctorOptions { Connections = 500, SocketBuffer = 4 << 20 },
            Host = new HostInfo
            {
                SoMaxConn = 128,
                CpuQuota = 1.5,
                GcMode = "server, concurrent",
                Governor = "powersave",
                ClockSource = "hpet",
                RuntimeVariables = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" },
                Settings = new Dictionary<string, string> { ["net.core.wmem_max"] = "212992" },
            },
            OpenFiles = new OpenFileLimit(512, 512),
            Cpus = 2,
            ClockNs = 900,
            FreePorts = 499,
            Machine = new MachineTimes(900_000_000, 0, 0, 1_200_000_000),
            TempFailure = "no space",
            ResultsFailure = "read-only",
            CertificateFailure = "no OpenSSL",
            DebugBuild = true,
        };

        var finding = Judged(check, sick);

        Assert.Equal(level, finding.Level.ToString());
        Assert.Equal(fix, finding.Fix);
        Assert.Equal((check, finding.Text + "."), (finding.ToAdvice().Id, finding.ToAdvice().Doubt));
        Assert.Matches("^[^a-z].*[.]$", finding.ToAdvice().Fix);
    }

    [Fact]
    public void Too_few_free_ports_are_a_problem_only_for_a_run_with_TCP()
    {
        var few = Healthy with { FreePorts = 10 };

        Assert.Equal(Level.Problem, Judged("ports", few).Level);
        Assert.Equal(Level.Ok, Judged("ports", few with { Options = few.Options with { Tcp = false } }).Level);
    }

    [Fact]
    public void A_path_of_the_temporary_folder_too_long_for_a_socket_name_is_a_problem()
    {
        var names = Address.Own.Keys.Select(kind => ChildProcess.PrivateAddress(kind).SocketFile).OfType<string>().Select(Path.GetFileName);

        Assert.All(names, name => Assert.InRange(name!.Length, 1, 40));
        Assert.Equal(Level.Ok, Judged("temp-folder", Healthy with { TempFolder = new string('x', 67) }).Level);
        Assert.Equal(Level.Problem, Judged("temp-folder", Healthy with { TempFolder = new string('x', 68) }).Level);
    }

    [Fact]
    public void The_accept_queue_of_a_given_server_is_unknown()
    {
        var many = Healthy with { Options = new DoctorOptions { Connections = 5000 } };

        Assert.Equal(Level.Warn, Judged("accept-queue", many).Level);
        Assert.Equal(Level.Ok, Judged("accept-queue", many with { Options = many.Options with { Backlog = null } }).Level);
    }

    [Fact]
    public void Overlapping_CPU_sets_of_client_and_server_are_a_warning_and_separate_sets_are_ok()
    {
        var options = new DoctorOptions { ClientCpus = CpuSet.From(0, 1), ServerCpus = CpuSet.From(1, 2) };

        Assert.Equal(Level.Warn, Judged("cores", Healthy with { Options = options }).Level);
        Assert.Equal(Level.Ok, Judged("cores", Healthy with { Options = options with { ServerCpus = CpuSet.From(2, 3) } }).Level);
        var two = Healthy with { Cpus = 2, Options = new DoctorOptions { ClientCpus = CpuSet.From(0), ServerCpus = CpuSet.From(1) } };
        Assert.Equal(new Finding("cores", Level.Ok, "client (0) and server (1) have CPUs of their own"), Judged("cores", two));
    }

    [Theory]
    [InlineData("Answers", "Ok", "a server answers at unix:/tmp/x.sock")]
    [InlineData("Free", "Problem", "no server answers at unix:/tmp/x.sock")]
    [InlineData("Stale", "Problem", "unix:/tmp/x.sock is left over from a server that has ended")]
    [InlineData("NotHere", "Problem", "this system does not have the transport of unix:/tmp/x.sock")]
    public void A_given_server_that_does_not_answer_is_a_problem(string state, string level, string text)
    {
        var address = Address.Parse("unix:/tmp/x.sock");

        var finding = Judged("server", At(address, state, new DoctorOptions { Targets = [address] }));

        Assert.Equal(level, finding.Level.ToString());
        Assert.Equal(text, finding.Text);
    }

    [Theory]
    [InlineData("Answers", "Ok", "")]
    [InlineData("Free", "Ok", "")]
    [InlineData("Stale", "Warn", "the next server replaces the file; or rm /tmp/x.sock")]
    [InlineData("Occupied", "Warn", "move the file away, or give the server another address with --listen")]
    public void A_stale_or_occupied_default_address_of_the_server_is_a_warning(string state, string level, string fix)
    {
        var address = Address.Parse("unix:/tmp/x.sock");

        var finding = Judged("address", At(address, state, new DoctorOptions { Neighbours = [address] }));

        Assert.Equal((level, fix), (finding.Level.ToString(), finding.Fix));
    }

    [Fact]
    public async Task The_examination_of_this_machine_takes_at_most_20_seconds_and_reports_no_problem()
    {
        var options = new DoctorOptions { ResultsFolder = Path.GetTempPath() };
        var findings = await Examination.ExamineAsync(options, HostRecord.Read()).WaitAsync(TimeSpan.FromSeconds(20));

        Assert.True(findings.Count >= 15);
        Assert.DoesNotContain(findings, finding => finding.Level == Level.Problem);
    }

    private static DoctorFacts At(Address address, string state, DoctorOptions options) =>
        Healthy with
        {
            Options = options,
            Addresses = new Dictionary<Address, AddressState> { [address] = Enum.Parse<AddressState>(state) },
        };
}
