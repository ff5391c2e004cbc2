namespace IpcBench.Transports.Tests;

public class UnixSocketPathTests
{
    [Theory]
    [InlineData("/tmp/greeter.sock", @"C:\tmp\greeter.sock")]
    [InlineData(@"\tmp\greeter.sock", @"C:\tmp\greeter.sock")]
    [InlineData(@"D:\tmp\greeter.sock", @"D:\tmp\greeter.sock")]
    [InlineData("D:/tmp/greeter.sock", "D:/tmp/greeter.sock")]
    [InlineData("/D:/tmp/greeter.sock", "D:/tmp/greeter.sock")]
    [InlineData("greeter.sock", "greeter.sock")]
    [InlineData(@"\\host\share\greeter.sock", @"\\host\share\greeter.sock")]
    public void On_windows_a_path_without_a_drive_is_on_the_system_drive(string path, string full) =>
        Assert.Equal(full, UnixSocketPath.OnDrive(path, @"C:\"));

    [Fact]
    public void A_relative_path_starts_at_the_current_folder() =>
        Assert.Equal(Path.Combine(Environment.CurrentDirectory, "greeter.sock"), UnixSocketPath.Resolve("greeter.sock"));

    [Fact]
    public void On_unix_a_full_path_stays_unchanged()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "paths start with a drive there");
        Assert.Equal("/tmp/greeter.sock", UnixSocketPath.Resolve("/tmp/greeter.sock"));
    }
}
