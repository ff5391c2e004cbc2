using System.Runtime.InteropServices;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public sealed class ServerLocationTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public void The_build_puts_a_server_beside_the_client()
    {
        var start = ServerLocation.StartInfo();

        Assert.True(File.Exists(start.FileName), start.FileName);
        Assert.True(File.Exists(Path.Combine(AppContext.BaseDirectory, "server", "GrpcBenchServer.dll")));
    }

    [Fact]
    public void The_native_host_of_the_server_is_preferred()
    {
        Touch("GrpcBenchServer.dll");
        var native = Touch("GrpcBenchServer" + (Environment.ProcessPath!.EndsWith(".exe", StringComparison.Ordinal) ? ".exe" : ""));

        Assert.Equal(native, ServerLocation.StartInfo(folder, "dotnet").FileName);
    }

    [Fact]
    public void A_server_without_a_native_host_is_run_by_dotnet()
    {
        var library = Touch("GrpcBenchServer.dll");

        var start = ServerLocation.StartInfo(folder, "dotnet");

        Assert.Equal(("dotnet", "exec", library), (start.FileName, start.ArgumentList[0], start.ArgumentList[1]));
    }

    [Fact]
    public void The_error_of_a_missing_server_names_the_folder()
    {
        var e = Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, "dotnet"));

        Assert.Equal(
            $"the server is not in {Path.Combine(folder, "server")}: build src/Client, unpack the whole archive, or measure a running "
                + "server with -U",
            e.Message);
    }

    [Fact]
    public void The_aot_server_is_found_in_its_own_folder_or_its_absence_is_reported()
    {
        var library = Touch("GrpcBenchServer.dll");
        Assert.Equal(library, ServerLocation.StartInfo(folder, "dotnet", "jit").ArgumentList[1]);

        var ahead = Path.Combine(folder, "server-aot");
        var e = Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, "dotnet", "aot"));
        Assert.Equal(
            $"there is no aot server in {ahead}: create it with dotnet publish src/Server -c Release "
                + $"-r {RuntimeInformation.RuntimeIdentifier} -p:PublishAot=true -o {ThisProgram.Quoted(ahead)}",
            e.Message);

        var native = Path.Combine(Directory.CreateDirectory(ahead).FullName,
            "GrpcBenchServer" + (Environment.ProcessPath!.EndsWith(".exe", StringComparison.Ordinal) ? ".exe" : ""));
        File.WriteAllText(native, "");
        Assert.Equal(native, ServerLocation.StartInfo(folder, "dotnet", "aot").FileName);
    }

    [Fact]
    public void A_server_without_a_native_host_needs_dotnet()
    {
        var library = Touch("GrpcBenchServer.dll");

        Assert.Equal(
            $"there is no dotnet to run {library}: install the ASP.NET Core runtime and put dotnet on the PATH",
            Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, null)).Message);
    }

    [Fact]
    public void A_dotnet_without_ASP_NET_Core_is_reported()
    {
        Touch("GrpcBenchServer.dll");
        var dotnet = Path.Combine(folder, "dotnet");
        Directory.CreateDirectory(Path.Combine(folder, "shared", "Microsoft.NETCore.App"));

        var e = Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, dotnet));
        Assert.Equal(
            $"the server needs ASP.NET Core, which {folder} does not have: install the ASP.NET Core runtime there, or measure a "
                + "running server with -U",
            e.Message);

        Directory.CreateDirectory(Path.Combine(folder, "shared", "Microsoft.AspNetCore.App"));
        Assert.Equal(dotnet, ServerLocation.StartInfo(folder, dotnet).FileName);
    }

    private string Touch(string name)
    {
        var path = Path.Combine(Directory.CreateDirectory(Path.Combine(folder, "server")).FullName, name);
        File.WriteAllText(path, "");
        return path;
    }
}
