using System.Text.RegularExpressions;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks this program with the unchanged template of <c>dotnet new grpc</c>.</summary>
public sealed partial class StockServiceTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_grpc_template_of_dotnet_is_measured_and_its_failure_to_start_shows_the_exception()
    {
        var project = Path.Combine(folder, "Shop");
        await DotnetAsync("new", "grpc", "-o", project, "--no-restore");
        var file = Path.Combine(project, "Shop.csproj");
        await File.WriteAllTextAsync(file, Packages().Replace(await File.ReadAllTextAsync(file, Token), References()), Token);
        await DotnetAsync("build", "-c", "Release", "-p:RunAnalyzers=false", "-o", Path.Combine(folder, "out"), project);

        // The command is written as in the help.
        var server = $"dotnet '{Path.Combine(folder, "out", "Shop.dll")}' --contentRoot . --urls ";
        string[] call = ["--call", "greet.Greeter.SayHello", "--data", "{\"name\":\"tea\"}",
            "--proto", Path.Combine(project, "Protos", "greet.proto"), "-c", "2", "-r", "1", "-n", "20", "--warmup", "1ms", "--no-save"];
        var (measured, output, error) = await Tool.RunAsync(
            ["ab", "--base", server + "{url}", "--head", server + "{url}", "--transports", "tcp,unix", .. call]);
        Assert.True(measured == 0, error + output);
        Assert.Contains("head against base", output, StringComparison.Ordinal);

        // {address} is this program's spelling of a Unix socket, which Kestrel rejects at its start.
        var (refused, _, told) = await Tool.RunAsync(
            ["ab", "--base", server + "{address}", "--head", server + "{url}", "--transports", "unix", .. call]);
        Assert.Equal(2, refused);
        Assert.Matches("its exception:\n  System\\.[A-Za-z.]+Exception: .*unix:", told);
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    /// <summary>The packages of the template at the versions that this repository restores.</summary>
    private static string References()
    {
        var versions = File.ReadAllText(Path.Combine(Repository.Root, "Directory.Packages.props"));
        string Version(string package) => Regex.Match(versions, $"\"{Regex.Escape(package)}\" Version=\"([^\"]+)\"").Groups[1].Value;
        return string.Concat(new[] { "Grpc.AspNetCore.Server", "Google.Protobuf", "Grpc.Tools" }.Select(
            package => $"<PackageReference Include=\"{package}\" Version=\"{Version(package)}\" />"));
    }

    private async Task DotnetAsync(params string[] arguments)
    {
        await using var dotnet = Tool.StartProgram("dotnet", folder, arguments);
        Assert.True(await dotnet.ExitCodeAsync() == 0, dotnet.Output + dotnet.Error);
    }

    [GeneratedRegex("<PackageReference Include=\"Grpc.AspNetCore\"[^>]*/>")]
    private static partial Regex Packages();
}
