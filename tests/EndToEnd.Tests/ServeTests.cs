using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks that <c>GrpcBench serve</c> has the arguments, signals and exit code of the server.</summary>
public sealed class ServeTests
{
    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task The_command_serve_runs_as_one_process_until_a_signal(string signal)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no signals to send on Windows");
        var socket = Path.Combine(Path.GetTempPath(), $"serve-{Guid.NewGuid():N}.sock");
        await using var server = Tool.Start("serve", "--listen", "unix:" + socket);
        await server.SeesAsync("GrpcBench server ready");
        if (OperatingSystem.IsLinux())
            Assert.Contains("GrpcBenchServer", await CommandLineAsync(server.Process.Id), StringComparison.Ordinal);

        var (code, _, error) = await Tool.RunAsync(
            "-U", "unix:" + socket, "-r", "1", "-d", "100ms", "--warmup", "1ms", "-s", "10", "-c", "2", "--no-save");

        Assert.True(code == 0, error);
        server.Signal(signal);
        Assert.Equal(0, await server.ExitCodeAsync());
        Assert.False(File.Exists(socket));
    }

    [Fact]
    public async Task The_command_serve_has_the_options_and_exit_codes_of_the_server()
    {
        var (helped, help, _) = await Tool.RunAsync("serve", "--help");
        Assert.Equal(0, helped);
        Assert.Contains("--max-streams", help, StringComparison.Ordinal);

        var (refused, _, error) = await Tool.RunAsync("serve", "--listen", "nonsense");
        Assert.Equal(1, refused);
        Assert.Equal(
            "'nonsense' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name "
                + "(GrpcBenchServer --help)\n",
            error.ReplaceLineEndings("\n"));

        var (_, all, _) = await Tool.RunAsync("--help", "all");
        Assert.Contains("GrpcBench serve", all, StringComparison.Ordinal);
    }

    private static Task<string> CommandLineAsync(int id) =>
        File.ReadAllTextAsync(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/cmdline"), TestContext.Current.CancellationToken);
}
