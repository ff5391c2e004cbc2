namespace IpcBench.Transports.Tests;

public class AddressTests
{
    [Theory]
    [InlineData("http://localhost:5000", "http://localhost:5000", "tcp")]
    [InlineData("localhost:5000", "http://localhost:5000", "tcp")]
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
    public void Addresses_are_read_in_every_spelling_and_from_their_printed_form(string text, string printed, string kind)
    {
        var address = Address.Parse(text);
        Assert.Equal(printed, address.ToString());
        Assert.Equal(kind, address.Kind);
        Assert.Equal(address, Address.Parse(printed));
    }

    [Theory]
    [InlineData("http://localhost:5000", null)]
    [InlineData("https://localhost:5001", null)]
    [InlineData("unix-abstract:greeter", null)]
    [InlineData("unix:/tmp/greeter.sock", "/tmp/greeter.sock")]
    [InlineData("unix:greeter.sock", "greeter.sock")]
    public void A_Unix_socket_address_names_its_file(string text, string? file) => Assert.Equal(file, Address.Parse(text).SocketFile);

    [Fact]
    public void A_pipe_address_names_a_socket_file_except_on_Windows()
    {
        var file = Address.Parse("pipe:/PipeGreeter").SocketFile;
        Assert.Equal(OperatingSystem.IsWindows() ? null : NamedPipeConnector.UnixSocketPath("PipeGreeter"), file);
    }

    [Fact]
    public void The_schemes_http_and_tcp_give_equal_addresses() =>
        Assert.Equal(Address.Parse("tcp://[::1]:7"), Address.Parse("http://[::1]:7"));

    private const string NoAddress =
        "'{0}' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name";

    private const string NoPath = "unix: needs the path of a socket file, as in unix:/tmp/greeter.sock";
    private const string NoPipe = @"pipe: needs a name without slashes, as in pipe:/PipeGreeter or \\.\pipe\PipeGreeter";

    [Theory]
    [InlineData("", NoAddress)]
    [InlineData("localhost", NoAddress)]
    [InlineData("http://", "'{0}' is not a URL: write http://host:port")]
    [InlineData("HTTPS://", "'{0}' is not a URL: write https://host:port")]
    [InlineData("tcp://x:99999", "'{0}' is not a URL: write tcp://host:port")]
    [InlineData("http://localhost:99999", "'{0}' is not a URL: write http://host:port")]
    [InlineData("tcp://localhost", "'{0}' needs a port: write tcp://host:port")]
    [InlineData("tcp://", "'{0}' needs a port: write tcp://host:port")]
    [InlineData("tcp://localhost:7/path", "'{0}' has more than a host and a port: write tcp://localhost:7")]
    [InlineData("http://localhost:5000/path", "'{0}' has more than a host and a port: write http://localhost:5000")]
    [InlineData("http://user@localhost:5000", "'http://(hidden)@localhost:5000' has more than a host and a port: write "
        + "http://localhost:5000")]
    [InlineData("unix:", NoPath)]
    [InlineData("unix:/", NoPath)]
    [InlineData("unix-abstract:", "unix-abstract: needs a name, as in unix-abstract:greeter")]
    [InlineData("pipe:", NoPipe)]
    [InlineData("pipe:/a/b", NoPipe)]
    [InlineData(@"\\.\pipe\Anonymous", "pipe:/anonymous is a name that .NET reserves: choose another name")]
    [InlineData(@"\\.\pipe\", NoPipe)]
    [InlineData(@"\\server\pipe\name", NoAddress)]
    public void Invalid_addresses_are_rejected_with_an_example(string text, string sentence)
    {
        Assert.False(Address.TryParse(text, out _, out var error));
        Assert.Equal(string.Format(sentence, text), error);
        Assert.Equal(error, Assert.Throws<FormatException>(() => Address.Parse(text)).Message);
    }
}
