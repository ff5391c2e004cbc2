namespace IpcBench.Transports.Tests;

public class AddressTests
{
    [Theory]
    [InlineData("http://localhost:5000", "http://localhost:5000", "tcp")]
    [InlineData("HTTP://[::1]:5000/", "http://[::1]:5000", "tcp")]
    [InlineData("tcp://localhost:7", "tcp://localhost:7", "tcp")]
    [InlineData("tcp://[::1]:7", "tcp://[::1]:7", "tcp")]
    [InlineData("https://localhost:5001", "https://localhost:5001", "tls")]
    [InlineData("unix:/tmp/greeter.sock", "unix:/tmp/greeter.sock", "unix")]
    [InlineData("unix:///tmp/greeter.sock", "unix:/tmp/greeter.sock", "unix")]
    [InlineData(@"unix:C:\temp\greeter.sock", @"unix:C:\temp\greeter.sock", "unix")]
    [InlineData("unix-abstract:greeter", "unix-abstract:greeter", "unix")]
    [InlineData("pipe:/PipeGreeter", "pipe:/PipeGreeter", "pipe")]
    [InlineData("pipe:PipeGreeter", "pipe:/PipeGreeter", "pipe")]
    [InlineData(@"\\.\pipe\PipeGreeter", "pipe:/PipeGreeter", "pipe")]
    public void Reads_every_spelling_and_prints_the_one_it_reads_back(string text, string printed, string kind)
    {
        var address = Address.Parse(text);
        Assert.Equal(printed, address.ToString());
        Assert.Equal(kind, address.Kind);
        Assert.Equal(address, Address.Parse(printed));
    }

    [Fact]
    public void With_HTTP_and_without_it_is_the_same_address() =>
        Assert.Equal(Address.Parse("tcp://[::1]:7"), Address.Parse("http://[::1]:7"));

    [Theory]
    [InlineData("")]
    [InlineData("localhost:5000")]
    [InlineData("http://")]
    [InlineData("http://localhost:99999")]
    [InlineData("tcp://localhost")]
    [InlineData("tcp://")]
    [InlineData("tcp://localhost:7/path")]
    [InlineData("http://localhost:5000/path")]
    [InlineData("http://user@localhost:5000")]
    [InlineData("unix:")]
    [InlineData("unix:/")]
    [InlineData("unix-abstract:")]
    [InlineData("pipe:")]
    [InlineData("pipe:/a/b")]
    [InlineData(@"\\.\pipe\")]
    [InlineData(@"\\server\pipe\name")]
    public void Refuses_what_is_no_address_and_names_a_spelling_that_is(string text)
    {
        Assert.False(Address.TryParse(text, out _, out var error));
        Assert.Contains(":", error, StringComparison.Ordinal);
        Assert.Throws<FormatException>(() => Address.Parse(text));
    }
}
