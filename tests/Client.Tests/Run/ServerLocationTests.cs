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
    public void A_native_host_is_preferred()
    {
        Touch("GrpcBenchServer.dll");
        var native = Touch("GrpcBenchServer" + (Environment.ProcessPath!.EndsWith(".exe", StringComparison.Ordinal) ? ".exe" : ""));

        Assert.Equal(native, ServerLocation.StartInfo(folder, "dotnet").FileName);
    }

    [Fact]
    public void Without_a_native_host_dotnet_runs_the_library()
    {
        var library = Touch("GrpcBenchServer.dll");

        var start = ServerLocation.StartInfo(folder, "dotnet");

        Assert.Equal(("dotnet", "exec", library), (start.FileName, start.ArgumentList[0], start.ArgumentList[1]));
    }

    [Fact]
    public void A_missing_server_is_one_sentence_that_names_the_folder()
    {
        var e = Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, "dotnet"));

        Assert.Contains(Path.Combine(folder, "server"), e.Message, StringComparison.Ordinal);
        Assert.Contains("-U", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_dotnet_a_library_cannot_be_run()
    {
        Touch("GrpcBenchServer.dll");

        Assert.Contains("no dotnet", Assert.Throws<FileNotFoundException>(
            () => ServerLocation.StartInfo(folder, null)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_dotnet_without_ASP_NET_Core_beside_it_is_one_sentence()
    {
        Touch("GrpcBenchServer.dll");
        var dotnet = Path.Combine(folder, "dotnet");
        Directory.CreateDirectory(Path.Combine(folder, "shared", "Microsoft.NETCore.App"));

        var e = Assert.Throws<FileNotFoundException>(() => ServerLocation.StartInfo(folder, dotnet));
        Assert.StartsWith($"the server needs ASP.NET Core, which {folder} does not have: ", e.Message, StringComparison.Ordinal);

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
