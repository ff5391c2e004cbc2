using System.CommandLine;
using IpcBench.Analysis.Results;
using IpcBench.Client.Experiments.Http;
using IpcBench.Client.Loads.Find;
using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Cli;

public class HttpOptionsReaderTests
{
    [Fact]
    public void A_url_is_split_into_address_and_host_and_path()
    {
        var arm = Read("http://localhost:8080/a?b=c").Http.Single();
        Assert.Equal(
            (new Address.Tcp("localhost", 8080), "localhost:8080", "/a?b=c", "GET", ""),
            (arm.Address, arm.Request.Host, arm.Request.Path, arm.Request.Method, arm.Name));
        Assert.Equal("http://localhost:8080/a?(hidden)", arm.Request.Url);
        var tls = Read("https://example.org").Http[0];
        Assert.Equal((new Address.Tls("example.org", 443), "example.org", "/"), (tls.Address, tls.Request.Host, tls.Request.Path));
        Assert.Equal("[::1]:81", Read("http://[::1]:81/").Http[0].Request.Host);
    }

    [Fact]
    public void The_request_path_for_a_socket_or_pipe_comes_from_the_option_path()
    {
        var arms = Read("unix:/tmp/x=y.sock", "pipe:/name", "--path", "/x").Http;
        Assert.Equal([new Address.Unix("/tmp/x=y.sock"), new Address.Pipe("name")], arms.Select(arm => arm.Address));
        Assert.All(arms, arm => Assert.Equal(("/x", "localhost"), (arm.Request.Path, arm.Request.Host)));
    }

    [Fact]
    public void Arms_have_their_given_names_and_unnamed_arms_of_one_kind_are_numbered()
    {
        Assert.Equal(["port", "socket keepalive"], Read("port=http://a:1/", "socket keepalive=http://a:1/").Http.Select(arm => arm.Name));
        Assert.Equal(["", "#2", "", "x"], Read("http://a:1/", "http://a:2/", "unix:/a", "x=http://a:1/").Http.Select(arm => arm.Name));
        Assert.Equal(["", "#2", "", "#2"], Read("http://a:1/", "http://a:2/", "unix:/a", "unix:/b").Http.Select(arm => arm.Name));
    }

    [Fact]
    public void The_request_has_the_given_method_and_headers_and_the_given_host()
    {
        var request = Read("http://a:1/", "-H", "Host: example.org", "-H", "Accept:text/html", "--method", "head").Http[0].Request;
        Assert.Equal(("example.org", "HEAD", "Accept: text/html"), (request.Host, request.Method, request.Headers.Single()));
    }

    // Without the content in the key, --resume would mix two workloads if the file of --body changed between the runs.
    [Fact]
    public void The_key_of_a_cell_tells_different_bodies_apart()
    {
        var body = Path.GetTempFileName();
        try
        {
            File.WriteAllText(body, "first");
            var before = KeyOf(Read("http://a:1/", "--body", body));
            Assert.Equal(before, KeyOf(Read("http://a:1/", "--body", body)));
            File.WriteAllText(body, "other");
            Assert.NotEqual(before, KeyOf(Read("http://a:1/", "--body", body)));
            Assert.Equal("", KeyOf(Read("http://a:1/")).Corpus);
        }
        finally
        {
            File.Delete(body);
        }

        static CellKey KeyOf(RunOptions options) => PlannedCells.For(options, [new Target(options.Http[0].Address, options.Variants[0],
            Protocol: "http1", Request: options.Http[0].Request)]).Single().Record.Key;
    }

    [Fact]
    public void A_number_of_calls_replaces_the_duration() =>
        Assert.Equal(1000, Read("http://a:1/", "-n", "1000", "-c", "1").Calls);

    [Fact]
    public void The_option_find_adds_a_search_for_each_HTTP_server()
    {
        var options = Read("http://a:1/", "unix:/b", "--find", "p99<1ms");
        Target On(HttpArm arm) => new(arm.Address, options.Variants[0], arm.Name, Protocol: "http1", Request: arm.Request);
        Assert.Equal(2, new BenchPlan(options, [.. options.Http.Select(On)]).Cells.Count(cell => cell.Given is SearchLoad));
    }

    [Theory]
    [InlineData(6, 10.0, "http://a:1/", "unix:/b")] // 3 rounds of 20 s cannot give a verdict
    [InlineData(6, 20.0, "http://a:1/", "unix:/b", "-d", "20s")]
    [InlineData(3, 20.0, "http://a:1/", "unix:/b", "-r", "3")]
    public void The_plan_of_two_servers_has_as_many_rounds_as_a_verdict_needs(int rounds, double seconds, params string[] typed)
    {
        var options = Read(typed);
        Target On(HttpArm arm) => new(arm.Address, options.Variants[0], arm.Name, Protocol: "http1", Request: arm.Request);
        var plan = new BenchPlan(options, [.. options.Http.Select(On)]);
        Assert.Equal((rounds, seconds), (plan.Options.Rounds, plan.Options.Duration.TotalSeconds));
        Assert.Equal(rounds == 3, plan.Options.Rounds < plan.FewestRounds);
    }

    [Fact]
    public void The_option_crank_accepts_one_HTTP_server_and_rejects_two()
    {
        Assert.True(Read("http://a:1/", "--crank").Output.Crank);
        Assert.Equal(
            BenchPlan.OneCell,
            Assert.Throws<UsageException>(() => Read("http://a:1/", "http://a:2/", "--crank")).Message);
    }

    [Fact]
    public void The_command_http_has_the_same_defaults_as_a_run_with_a_given_server()
    {
        var options = Read("http://a:1/");
        Assert.Equal((3, 20.0, 2.0), (options.Rounds, options.Duration.TotalSeconds, options.Warmup.TotalSeconds));
        Assert.Equal([0L], options.Sizes);
    }

    [Fact]
    public void A_URL_after_the_option_connect_per_call_is_a_server_and_not_a_value_of_the_option()
    {
        Assert.Equal([true], Read("--connect-per-call", "http://a:1/").ConnectPerCall);
        Assert.Single(Read("--connect-per-call", "http://a:1/").Http);
        Assert.Equal([false, true], Read("http://a:1/", "--connect-per-call", "both").ConnectPerCall);
        Assert.Equal([true], Read("http://a:1/", "--connect-per-call").ConnectPerCall);
        Assert.Equal([false], Read("http://a:1/").ConnectPerCall);
    }

    [Theory]
    [InlineData("http needs a server to measure, as in GrpcBench http http://localhost:8080/")]
    [InlineData(
        "'ftp://x' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name",
        "ftp://x")]
    [InlineData("http measures servers that listen, not stdio: (for MCP servers there is GrpcBench mcp)", "stdio:touch /tmp/x")]
    [InlineData("'http://' is not a URL: write http://host:port/path", "http://")]
    [InlineData("'http://a:0/' needs a port, as in http://localhost:8080/", "http://a:0/")]
    [InlineData("'http://a:1/#(hidden)' has a fragment, which is never sent: leave out the text from # on", "http://a:1/#top")]
    [InlineData("'http://(hidden)@a:1/' contains a user name: write -H 'Authorization: …' instead", "http://me:secret@a:1/")]
    [InlineData("'=http://a:1/' needs a name before '=', as in socket=http://localhost:8080/", "=http://a:1/")]
    [InlineData("'#2=http://a:1/' needs a name before '=', as in socket=http://localhost:8080/", "#2=http://a:1/")]
    [InlineData("two servers over tcp are named 'x': give each server its own name", "x=http://a:1/", "x=http://a:2/")]
    [InlineData("the same server is given twice: give each a name, as in a=SERVER b=SERVER", "http://a:1/", "http://a:1/")]
    [InlineData("--path /b and http://a:1/a both give a path: leave out one of the two", "http://a:1/a", "--path", "/b")]
    [InlineData("--path 'b' must begin with a slash", "unix:/a", "--path", "b")]
    [InlineData("--path '/b c' has characters that a request may not contain: percent-encode them, as in %20", "unix:/a", "--path", "/b c")]
    [InlineData(
        "-m would need HTTP/1.1 pipelining, which this tool does not measure: use more connections (-c)",
        "http://a:1/", "-m", "4")]
    [InlineData("-n must be at least 1", "http://a:1/", "-n", "0")]
    [InlineData("-n counts calls and -d sets a time: use only one of the two", "http://a:1/", "-n", "5", "-d", "5s")]
    [InlineData("-H '(hidden)' is not a header such as 'Accept: text/html'", "http://a:1/", "-H", "no colon")]
    [InlineData("-H 'A: (hidden)' is not a header such as 'Accept: text/html'", "http://a:1/", "-H", "A: b\r\nC: d")]
    [InlineData("-H Authorization: has no value: quote the whole header, as in -H 'Authorization: value'",
        "http://a:1/", "-H", "Authorization:", "Bearer", "s3cret")]
    [InlineData("http has no option --bogus", "http://a:1/", "--bogus")]
    [InlineData("-H Content-Length: this tool sets the length of the body from --body, so leave out this "
        + "header", "http://a:1/", "-H", "Content-Length: 5")]
    [InlineData("-H gives Host twice", "http://a:1/", "-H", "Host: a", "-H", "Host: b")]
    [InlineData(
        "--method CONNECT opens a tunnel or echoes the request: measure GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS",
        "http://a:1/", "--method", "CONNECT")]
    [InlineData("--method 'G T' is not a method such as GET, HEAD or POST", "http://a:1/", "--method", "G T")]
    [InlineData(
        "-r auto needs a comparison: name at least two servers or transports, or write a number of rounds",
        "http://a:1/", "-r", "auto")]
    public void Impossible_options_are_rejected_with_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, Assert.Throws<UsageException>(() => Read(arguments)).Message);

    [Fact]
    public void The_error_of_an_unreadable_body_names_its_file() => Assert.Equal(
        $"--body '/no/such/file' cannot be read: {Record.Exception(() => File.ReadAllText("/no/such/file"))!.Message}",
        Assert.Throws<UsageException>(() => Read("http://a:1/", "--body", "/no/such/file")).Message);

    [Theory]
    [InlineData("http://a:1/?s3cret#s3cret")]
    [InlineData("http://me:s3cret@a:1/")]
    [InlineData("=http://a:1/?s3cret")]
    [InlineData("http://a:0/?s3cret")]
    [InlineData("http://a:1/b?s3cret", "--path", "/c?s3cret")]
    [InlineData("unix:/a", "--path", "b/?s3cret")]
    [InlineData("unix:/a", "--path", "/b c?s3cret")]
    [InlineData("http://a:1/", "-H", "s3cret")]
    [InlineData("http://a:1/", "-H", "A B: s3cret")]
    public void No_error_message_quotes_a_secret(params string[] arguments) =>
        Assert.DoesNotContain("s3cret", Assert.Throws<UsageException>(() => Read(arguments)).Message, StringComparison.Ordinal);

    [Fact]
    public void Arms_that_differ_only_in_their_queries_are_numbered()
    {
        var arms = Read("http://a:1/x?one", "http://a:1/x?two", "http://a:1/y?one", "c=http://a:1/x?three").Http;
        Assert.Equal(["http://a:1/x?(hidden)", "http://a:1/x?(hidden #2)", "http://a:1/y?(hidden)", "http://a:1/x?(hidden #3)"],
            arms.Select(arm => arm.Request.Url));
        Assert.Equal(["/x?one", "/x?two", "/y?one", "/x?three"], arms.Select(arm => arm.Request.Path));
    }

    internal static RunOptions Read(params string[] arguments)
    {
        var declared = new HttpCommandOptions();
        var command = new RootCommand { declared.Urls };
        foreach (var option in declared.Offered)
            command.Options.Add(option);
        var typed = command.Parse(arguments);
        Assert.Empty(typed.Errors);
        return new HttpOptionsReader(declared, typed).Read();
    }
}
