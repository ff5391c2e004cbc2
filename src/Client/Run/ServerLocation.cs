using System.Diagnostics;
using System.Runtime.InteropServices;

namespace IpcBench.Client.Run;

/// <summary>Finds the server that the build, publish and packages put into the folder <c>server</c> beside the client.</summary>
internal static class ServerLocation
{
    private const string Name = "GrpcBenchServer";

    /// <summary>How to start the server, without its own arguments: add them to <see cref="ProcessStartInfo.ArgumentList"/>.</summary>
    /// <exception cref="FileNotFoundException">It is not there, or nothing can run it; the message is one sentence with the
    /// fix.</exception>
    public static ProcessStartInfo StartInfo() => StartInfo(AppContext.BaseDirectory, Dotnet());

    /// <summary>
    /// The same for a client in <paramref name="clientFolder"/>; <paramref name="dotnet"/> runs a server that has no native host.
    /// </summary>
    internal static ProcessStartInfo StartInfo(string clientFolder, string? dotnet)
    {
        var folder = Path.Combine(clientFolder, "server");
        var native = Path.Combine(folder, Name + ExecutableExtension());
        var library = Path.Combine(folder, Name + ".dll");
        if (File.Exists(native))
            return WithRuntime(new ProcessStartInfo(native));
        if (!File.Exists(library))
            throw new FileNotFoundException(
                $"the server is not in {folder}: build src/Client, unpack the whole archive, or measure a running server with -U");
        if (dotnet is null)
            throw new FileNotFoundException(
                $"there is no dotnet to run {library} with: install the ASP.NET Core runtime and put dotnet on the PATH");
        if (LacksAspNetCore(dotnet) is { } root)
            throw new FileNotFoundException(
                $"the server needs ASP.NET Core, which {root} does not have: install the ASP.NET Core runtime there, or measure a "
                    + "running server with -U");
        return new ProcessStartInfo(dotnet) { ArgumentList = { "exec", library } };
    }

    // The host itself would say it in ten lines. Where its frameworks do not lie beside it (a snap's launcher), it is left to say so.
    private static string? LacksAspNetCore(string dotnet)
    {
        var target = File.Exists(dotnet) ? File.ResolveLinkTarget(dotnet, returnFinalTarget: true)?.FullName : null;
        var root = Path.GetDirectoryName(target ?? Path.GetFullPath(dotnet))!;
        return Has("Microsoft.NETCore.App") && !Has("Microsoft.AspNetCore.App") ? root : null;

        bool Has(string framework) => Directory.Exists(Path.Combine(root, "shared", framework));
    }

    private static string ExecutableExtension() =>
        Environment.ProcessPath?.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) == true ? ".exe" : "";

    // A native host looks for the runtime in the registered place only; the one that runs this client may be elsewhere.
    private static ProcessStartInfo WithRuntime(ProcessStartInfo server)
    {
        var root = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        if (Directory.Exists(Path.Combine(root, "shared", "Microsoft.AspNetCore.App")))
            server.Environment.TryAdd("DOTNET_ROOT", root);
        return server;
    }

    // The host that runs this client knows best; a client with a native host of its own leaves the variables and the PATH.
    internal static string? Dotnet()
    {
        var self = Environment.ProcessPath;
        if (Path.GetFileNameWithoutExtension(self) is "dotnet")
            return self;
        var folders = new[] { Environment.GetEnvironmentVariable("DOTNET_ROOT"), Environment.GetEnvironmentVariable("PATH") };
        return folders.SelectMany(list => (list ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries))
            .Select(folder => Path.Combine(folder, "dotnet" + ExecutableExtension()))
            .Prepend(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "")
            .FirstOrDefault(File.Exists);
    }
}
