using IpcBench.Schema.Types;

namespace IpcBench.Schema.Tests;

public class ProtocTests
{
    [Fact]
    public void The_newest_Grpc_Tools_compiler_in_the_package_folder_is_found()
    {
        var packages = Directory.CreateTempSubdirectory();
        try
        {
            Assert.Null(Protoc.OfGrpcTools(packages.FullName));
            foreach (var version in new[] { "2.9.0", "2.85.0" })
            {
                foreach (var system in new[] { "linux_x64", "linux_arm64", "windows_x64", "macosx_x64", "macosx_arm64" })
                {
                    var tools = packages.CreateSubdirectory($"grpc.tools/{version}/tools/{system}").FullName;
                    File.WriteAllText(Path.Combine(tools, "protoc"), "");
                    File.WriteAllText(Path.Combine(tools, "protoc.exe"), "");
                }
            }
            Assert.Contains("2.85.0", Protoc.OfGrpcTools(packages.FullName), StringComparison.Ordinal);
        }
        finally
        {
            packages.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData("greet.Greeter/SayHello")]
    [InlineData("greet.Greeter.SayHello")]
    [InlineData("/greet.Greeter/SayHello")]
    public void The_name_of_a_method_is_split_at_a_slash_or_at_the_last_dot(string name) =>
        Assert.Equal(("greet.Greeter", "SayHello"), MethodName.Split(name));
}
