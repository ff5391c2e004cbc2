using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class ThisProgramTests
{
    [Fact]
    public void The_native_host_is_started_directly()
    {
        var info = ThisProgram.StartInfo("/opt/tools/grpcbench", "/nowhere", () => null, ["doctor", "a b"]);

        Assert.Equal("/opt/tools/grpcbench", info.FileName);
        Assert.Equal(["doctor", "a b"], info.ArgumentList);
    }

    [Fact]
    public void A_client_without_a_native_host_is_run_by_dotnet()
    {
        var info = ThisProgram.StartInfo("/usr/bin/dotnet", "/nowhere", () => "/usr/bin/dotnet", ["run"]);

        Assert.Equal("/usr/bin/dotnet", info.FileName);
        Assert.Equal(["exec", Path.Combine("/nowhere", "GrpcBench.dll"), "run"], info.ArgumentList);
    }

    [Fact]
    public void The_program_file_of_the_client_exists_beside_the_tests() => Assert.True(File.Exists(ThisProgram.StartInfo().FileName));

    [Theory]
    [InlineData("/repo/bin/GrpcBench", "/repo", "bin/GrpcBench")]
    [InlineData("/repo/bin/GrpcBench", "/repo/bin", "./GrpcBench")]
    [InlineData("/repo/bin/GrpcBench", "/home", "/repo/bin/GrpcBench")]
    [InlineData("/repo/bin/GrpcBench", null, "/repo/bin/GrpcBench")] // the current folder was deleted
    [InlineData("/my repo/bin/GrpcBench", "/home", "'/my repo/bin/GrpcBench'")]
    [InlineData("/usr/bin/dotnet", "/home", "dotnet /tool/GrpcBench.dll")]
    public void The_command_that_messages_show_is_valid_in_the_current_folder(string process, string? current, string typed)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the paths are Unix's");
        Assert.Equal(typed, ThisProgram.TypedAs(process, "/tool", current, "/bin:/usr/bin"));
    }

    [Fact]
    public void The_command_that_messages_show_for_a_program_on_the_PATH_is_only_its_name()
    {
        var folder = Directory.CreateTempSubdirectory("path-").FullName;
        try
        {
            var file = Path.Combine(folder, OperatingSystem.IsWindows() ? "grpcbench.exe" : "grpcbench");
            File.WriteAllText(file, "");
            Assert.Equal("grpcbench", ThisProgram.TypedAs(file, "/tool", "/", $"/nowhere{Path.PathSeparator}{folder}"));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
