using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class ThisProgramTests
{
    [Fact]
    public void A_native_host_starts_itself()
    {
        var info = ThisProgram.StartInfo("/opt/tools/grpcbench", "/nowhere", () => null, ["doctor", "a b"]);

        Assert.Equal("/opt/tools/grpcbench", info.FileName);
        Assert.Equal(["doctor", "a b"], info.ArgumentList);
    }

    [Fact]
    public void Under_dotnet_without_a_host_beside_it_dotnet_runs_the_library()
    {
        var info = ThisProgram.StartInfo("/usr/bin/dotnet", "/nowhere", () => "/usr/bin/dotnet", ["run"]);

        Assert.Equal("/usr/bin/dotnet", info.FileName);
        Assert.Equal(["exec", Path.Combine("/nowhere", "GrpcBench.dll"), "run"], info.ArgumentList);
    }

    [Fact]
    public void From_these_tests_the_client_beside_them_is_found() => Assert.True(File.Exists(ThisProgram.StartInfo().FileName));
}
