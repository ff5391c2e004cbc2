using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Finds the server in the folder <c>server</c> beside the client. Every build and package has it there.</summary>
internal static class ServerLocation
{
    /// <summary>The name of the server's program, and of its process.</summary>
    public const string Name = "GrpcBenchServer";

    /// <summary>Returns how to start the server. The caller adds the arguments.</summary>
    /// <exception cref="FileNotFoundException">The server is missing or cannot run. The message is one sentence with the fix.</exception>
    public static ProcessStartInfo StartInfo(string? build = null) => StartInfo(AppContext.BaseDirectory, Dotnet(), build);

    /// <summary>
    /// Returns how to start the server of a client in <paramref name="clientFolder"/>. If the server has no native
    /// host, <paramref name="dotnet"/> runs it.
    /// </summary>
    /// <param name="build"><c>jit</c> or <c>aot</c>. Null means the server that was built with the client.</param>
    internal static ProcessStartInfo StartInfo(string clientFolder, string? dotnet, string? build = null)
    {
        // The folder "server" has the server with the same kind of build as the client. The other kind is in another folder.
        var isOther = build is not null && build == "aot" != RuntimeFacts.IsCompiledAhead;
        var folder = Path.Combine(clientFolder, isOther ? $"server-{build}" : "server");
        var native = Path.Combine(folder, Name + ExecutableExtension());
        var library = Path.Combine(folder, Name + ".dll");
        if (File.Exists(native))
            return WithRuntime(new ProcessStartInfo(native));
        if (!File.Exists(library))
            throw new FileNotFoundException(isOther ? $"there is no {build} server in {folder}: {Publish(build!, folder)}" :
                $"the server is not in {folder}: build src/Client, unpack the whole archive, or measure a running server with -U");
        if (dotnet is null)
            throw new FileNotFoundException(
                $"there is no dotnet to run {library}: install the ASP.NET Core runtime and put dotnet on the PATH");
        if (LacksAspNetCore(dotnet) is { } root)
            throw new FileNotFoundException(
                $"the server needs ASP.NET Core, which {root} does not have: install the ASP.NET Core runtime there, or measure a "
                    + "running server with -U");
        return new ProcessStartInfo(dotnet) { ArgumentList = { "exec", library } };
    }

    private static string Publish(string build, string folder) => "create it with dotnet publish src/Server -c Release "
        + (build == "aot" ? $"-r {RuntimeInformation.RuntimeIdentifier} -p:PublishAot=true " : "") + $"-o {ThisProgram.Quoted(folder)}";

    // Returns the folder of dotnet if ASP.NET Core is missing there. dotnet would report this in ten lines, this
    // program does it in one. If the frameworks are not beside dotnet (a snap's launcher), the report is left to
    // dotnet.
    private static string? LacksAspNetCore(string dotnet)
    {
        var target = File.Exists(dotnet) ? File.ResolveLinkTarget(dotnet, returnFinalTarget: true)?.FullName : null;
        var root = Path.GetDirectoryName(target ?? Path.GetFullPath(dotnet))!;
        return Has("Microsoft.NETCore.App") && !Has("Microsoft.AspNetCore.App") ? root : null;

        bool Has(string framework) => Directory.Exists(Path.Combine(root, "shared", framework));
    }

    private static string ExecutableExtension() =>
        Environment.ProcessPath?.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) == true ? ".exe" : "";

    // A native host searches for the runtime only in the registered place and in DOTNET_ROOT. The client's runtime may be elsewhere.
    private static ProcessStartInfo WithRuntime(ProcessStartInfo server)
    {
        var root = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        if (Directory.Exists(Path.Combine(root, "shared", "Microsoft.AspNetCore.App")))
            server.Environment.TryAdd("DOTNET_ROOT", root);
        return server;
    }

    // The dotnet that runs this client comes first. If the client has its own native host, DOTNET_HOST_PATH, DOTNET_ROOT and
    // the PATH are searched.
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
