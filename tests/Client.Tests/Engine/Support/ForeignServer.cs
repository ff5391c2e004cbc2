using System.Diagnostics;
using System.Globalization;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine.Support;

/// <summary>A server of another project as a process of its own; .ci/install-foreign installs such servers.</summary>
internal sealed class ForeignServer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly Process process;

    private ForeignServer(Process process, Address address) => (this.process, Address) = (process, address);

    public Address Address { get; }

    public int Id => process.Id;

    public static Task<ForeignServer> PythonAsync(string kind)
    {
        const string Python = "/usr/bin/python3";
        SkipOnWindows();
        Assert.SkipUnless(
            File.Exists(Python) && RunsWell(Python, "-c", "import grpc"), "Python's grpcio is not installed: run .ci/install-foreign");
        return StartAsync(kind, "127.0.0.1:0", address => new ProcessStartInfo(Python, [Script("server.py"), address]));
    }

    public static Task<ForeignServer> NodeAsync(string kind)
    {
        var modules = Installed("artifacts/foreign/node_modules");
        Assert.SkipWhen(
            modules is null || !Directory.Exists(Path.Combine(modules, "@grpc/grpc-js")),
            "grpc-js is not installed: run .ci/install-foreign");
        return StartAsync(kind, "127.0.0.1:0", address =>
            new ProcessStartInfo("node", [Script("server.js"), address, Repository.Find("protos/bench.proto")!])
            {
                Environment = { ["NODE_PATH"] = modules },
            });
    }

    /// <summary>Starts hello.v1.Greeter on grpc-js, with @grpc/reflection or without reflection.</summary>
    public static Task<ForeignServer> GreeterNodeAsync(string kind, bool reflection)
    {
        var modules = Installed("artifacts/foreign/node_modules");
        Assert.SkipWhen(
            modules is null || !Directory.Exists(Path.Combine(modules, "@grpc/reflection")),
            "@grpc/reflection is not installed: run .ci/install-foreign");
        string[] more = reflection ? ["reflection"] : [];
        return StartAsync(kind, "127.0.0.1:0", address =>
            new ProcessStartInfo("node", [Script("greeter.js"), address, Script("greeter.proto"), .. more])
            {
                Environment = { ["NODE_PATH"] = modules },
            });
    }

    /// <summary>Starts hello.v1.Greeter on grpc-js over TLS, with the folder's certificates. Clients must present a certificate.</summary>
    public static async Task<ForeignServer> GreeterTlsAsync(string folder)
    {
        var modules = Installed("artifacts/foreign/node_modules");
        Assert.SkipWhen(
            modules is null || !Directory.Exists(Path.Combine(modules, "@grpc/reflection")),
            "@grpc/reflection is not installed: run .ci/install-foreign");
        var server = await StartAsync("tcp", "127.0.0.1:0", address =>
            new ProcessStartInfo("node", [Script("tls-greeter.js"), address, Script("greeter.proto"), folder])
            {
                Environment = { ["NODE_PATH"] = modules },
            });
        return new ForeignServer(server.process, new Address.Tls("127.0.0.1", ((Address.Tcp)server.Address).Port));
    }

    /// <summary>Starts hello.v1.Greeter on gRPC C++, with or without reflection.</summary>
    public static Task<ForeignServer> GreeterCppAsync(string kind, bool reflection) =>
        GreeterCompiledAsync("cpp", "gRPC C++'s greeter is not compiled: run .ci/install-foreign", kind, reflection);

    /// <summary>Starts hello.v1.Greeter on grpc-go, with (v1alpha) or without reflection.</summary>
    public static Task<ForeignServer> GreeterGoAsync(string kind, bool reflection) =>
        GreeterCompiledAsync("go", "grpc-go's greeter is not compiled: run .ci/install-foreign", kind, reflection);

    private static Task<ForeignServer> GreeterCompiledAsync(string language, string skip, string kind, bool reflection)
    {
        var program = Installed($"artifacts/foreign/{language}/greeter");
        Assert.SkipWhen(program is null, skip);
        string[] more = reflection ? ["reflection"] : [];
        return StartAsync(kind, "127.0.0.1:0", address => new ProcessStartInfo(program, [address, .. more]));
    }

    /// <summary>Starts SayHello of hello.v1.Greeter on Python's grpcio, with reflection (v1alpha).</summary>
    public static Task<ForeignServer> GreeterPythonAsync(string kind, string protoset)
    {
        const string Python = "/usr/bin/python3";
        SkipOnWindows();
        var installed = File.Exists(Python) && RunsWell(Python, "-c", "import grpc, google.protobuf");
        Assert.SkipUnless(installed, "Python's grpcio is not installed: run .ci/install-foreign");
        return StartAsync(kind, "127.0.0.1:0", address => new ProcessStartInfo(Python, [Script("greeter.py"), address, protoset]));
    }

    public async ValueTask DisposeAsync()
    {
        process.StandardInput.Close();
        try
        {
            await process.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(5));
        }
        catch (TimeoutException)
        {
            process.Kill();
        }
        process.Dispose();
        if (Address is Address.Unix unix)
            File.Delete(unix.Path);
    }

    private static void SkipOnWindows() =>
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign servers are installed on Linux only");

    private static string? Installed(string path)
    {
        SkipOnWindows();
        return Repository.Find(path);
    }

    private static string Script(string name) => Repository.Find("tests/Client.Tests/foreign/" + name)!;

    private static async Task<ForeignServer> StartAsync(string kind, string tcp, Func<string, ProcessStartInfo> how)
    {
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        var start = how(kind == "unix" ? "unix:" + path : tcp);
        start.RedirectStandardInput = start.RedirectStandardOutput = true;
        var process = Process.Start(start)!;
        var port = await process.StandardOutput.ReadLineAsync().WaitAsync(Patience);
        return new(process, kind == "unix"
            ? new Address.Unix(path)
            : new Address.Tcp("127.0.0.1", int.Parse(port!, CultureInfo.InvariantCulture)));
    }

    private static bool RunsWell(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
        return process.WaitForExit(Patience) && process.ExitCode == 0;
    }
}
