using System.CommandLine;
using IpcBench.Client.Commands;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Host;
using IpcBench.Schema;

namespace IpcBench.Client.Tests.Cli;

/// <summary>Checks wrong uses of <c>--call</c>: one sentence each, exit code 1 for a wrong argument and 2 for a server's answer.</summary>
public sealed class WrongCallTests : IAsyncLifetime
{
    private const string SayHello = "hello.v1.Greeter/SayHello", Watch = "hello.v1.Greeter/Watch", Request = "hello.v1.HelloRequest";
    private const string ToRequest = "check the request (--data, -H), because only calls that end with OK are measured";

    internal const string NobodyIsHere = "unix:/tmp/nobody-is-here.sock does not answer: cannot connect to unix:/tmp/nobody-is-here.sock: "
        + "there is no such file. Is a gRPC server running there?";

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("wrong-");

    private readonly List<ForeignServer> servers = [];

    public static TheoryData<int, string, string[]> Typed { get; } = new()
    {
        // The method.
        { 1, "'SayHello' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello", ["--call", "SayHello"] },
        { 1, "'a/b/c' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello", ["--call", "a/b/c"] },
        { 2, "hello.v1.Greeter has no method SayHallo: did you mean SayHello?", ["--call", "hello.v1.Greeter/SayHallo"] },
        { 2, "SERVER has no service or type hello.v1.Greter: did you mean hello.v1.Greeter?", ["--call", "hello.v1.Greter/SayHello"] },
        // Options that do not fit the kind of the method.
        { 1, $"--messages is for streams, but {SayHello} takes and returns one message: leave out --messages", ["--messages", "5"] },
        { 1, $"the server decides how many messages a stream of {Watch} has: leave out --messages", ["--call", Watch, "--messages", "5"] },
        { 1, $"the server decides when it sends the messages of {Watch}: leave out -R",
            ["--call", Watch, "-R", "100"] },
        { 1, $"the stream of {Watch} stays open until the load ends, but --deadline would end the stream earlier: leave out --deadline",
            ["--call", Watch, "--deadline", "1s"] },
        { 1, $"--connect-per-call opens a connection for each call, but messages of {Watch} share a stream: leave out --connect-per-call",
            ["--call", Watch, "--connect-per-call"] },
        { 2, $"SERVER answers {Watch} with OK but without a readable message (no message, or a compressed one)",
            ["--call", Watch, "--data", """{"name":"nobody"}"""] },
        { 2, $"SERVER answers {Watch} with a reply that differs from --expect: text: expected \"Hello me\", got \"Hello you\"",
            ["--call", Watch, "--data", """{"name":"you"}""", "--expect", """{"text":"Hello me"}"""] },
        // Wrong JSON.
        { 1, "--data: the data holds no request: an empty message is {}", ["--data", ""] },
        { 1, $"--data: line 1, column 1: {Request} takes an object in braces, not a list", ["--data", "[]"] },
        { 1, $"--data: line 1, column 1: {Request} takes an object in braces, not null", ["--data", "null"] },
        { 1, $"--data: line 1, column 1: {Request} takes an object in braces, not \"text\"", ["--data", "\"text\""] },
        { 1, "--data: line 1, column 14: the JSON ends too early", ["--data", """{"name":"you" """.TrimEnd()] },
        { 1, "--data: line 1, column 2: the text is not JSON: 'n' is an invalid start of a property name", ["--data", "{name:\"a\"}"] },
        { 1, "--data: line 1, column 13: the text is not JSON: The JSON object contains a trailing comma at the end which is not supported "
                + "in this mode",
            ["--data", """{"name":"a",}"""] },
        { 1, "--data: line 1, column 13: the field \"name\" appears twice", ["--data", """{"name":"a","name":"b"}"""] },
        { 1, $"--data: line 1, column 2: {Request} has no field \"nam\": did you mean name?", ["--data", """{"nam":"a"}"""] },
        { 1, $"--data: line 1, column 9: {Request}.name is a string and takes text in quotes, not 5", ["--data", """{"name":5}"""] },
        { 1, $"--data: line 1, column 9: {Request}.name is a string and takes text in quotes, not true", ["--data", """{"name":true}"""] },
        { 1, $"--data: line 1, column 9: {Request}.name is a string and takes text in quotes, not an object",
            ["--data", """{"name":{}}"""] },
        { 1, "--data: line 1, column 9: the string is not valid Unicode text", ["--data", """{"name":"\ud800"}"""] },
        { 1, "--data: line 1, column 7: a google.protobuf.Timestamp takes a time such as \"2024-05-17T09:30:00.5Z\", years 0001 to 9999, "
            + "not \"0000-01-01T00:00:00Z\"", ["--data", """{"at":"0000-01-01T00:00:00Z"}"""] },
        // Files.
        { 1, "there is no file FOLDER/none.json", ["--data", "@FOLDER/none.json"] },
        { 1, "@ needs the name of a file, as in @request.json", ["--data", "@"] },
        { 1, "FOLDER/empty.json holds no request: an empty message is {}", ["--data", "@FOLDER/empty.json"] },
        { 1, "FOLDER/blank.jsonl holds no request: an empty message is {}", ["--data", "@FOLDER/blank.jsonl"] },
        { 1, $"FOLDER/second.jsonl:2:9: {Request}.name is a string and takes text in quotes, not 1", ["--data", "@FOLDER/second.jsonl"] },
        { 1, "FOLDER/latin.json:1:9: the string is not valid Unicode text", ["--data", "@FOLDER/latin.json"] },
        { 1, "FOLDER/wide.json is UTF-16 text: save it as UTF-8, the encoding of JSON (RFC 8259)",
            ["--data", "@FOLDER/wide.json"] },
        { 1, "FOLDER is a folder, not a file", ["--data", "@FOLDER"] },
        { 1, "FOLDER is a folder, not a file", ["--protoset", "FOLDER"] },
        { 1, "FOLDER/large.json:1:1: the request has 4194309 bytes, but a message may have at most 4194304",
            ["--data", "@FOLDER/large.json"] },
        { 1, "'x' is not a file of message bytes: write @file, or - for standard input", ["--data-binary", "x"] },
        { 1, "there is no file FOLDER/none.bin", ["--data-binary", "@FOLDER/none.bin"] },
        { 1, "there is no file FOLDER/none.pb", ["--protoset", "FOLDER/none.pb"] },
        { 1, "FOLDER/text is not a FileDescriptorSet: make one with protoc --include_imports -o types.pb app.proto",
            ["--protoset", "FOLDER/text"] },
        { 1, "there is no file FOLDER/none.proto", ["--proto", "FOLDER/none.proto"] },
        // Expected replies.
        { 1, "--expect: line 1, column 2: hello.v1.HelloReply has no field \"txt\": did you mean text?", ["--expect", """{"txt":"a"}"""] },
        { 1, "--expect: line 1, column 3: text follows the end of the JSON value", ["--expect", "{}x"] },
        { 2, $"SERVER answers {SayHello} with a reply that differs from --expect: text: expected \"Hello me\", got \"Hello you\"",
            ["--data", """{"name":"you"}""", "--expect", """{"text":"Hello me"}"""] },
        { 1, "--expect: line 1, column 1: the text is not JSON: '@' is an invalid start of a value", ["--expect", "@FOLDER/text"] },
        // Options.
        { 1, "--data and --data-binary both give the request: use only one of the two", ["--data", "{}", "--data-binary", "@x"] },
        { 1, "--call measures a method, --list and --describe print types: use only one of these options", ["--list"] },
        { 1, "-s is the reply size of this tool's own method, but --call measures another method: leave out one of the two", ["-s", "10"] },
        { 1, "--deadline must be at least 1ms", ["--deadline", "0"] },
        { 1, "--deadline 'soon' is not a duration such as 500ms, 20s or 2m", ["--deadline", "soon"] },
        { 1, "--authority 'a,b' is not a host name such as shop.example or shop.example:8443", ["--authority", "a,b"] },
        { 1, "--authority '%2Frun' is not a host name such as shop.example or shop.example:8443", ["--authority", "%2Frun"] },
        { 1, "--authority 'a b' is not a host name such as shop.example or shop.example:8443", ["--authority", "a b"] },
        { 1, "--sni '-' is not a host name", ["--sni", "-"] },
        { 1, "--key is the private key of --cert: add --cert, or leave out --key", ["--key", "FOLDER/text"] },
        { 1, "--cacert 'FOLDER/text' holds no certificate in PEM form", ["--cacert", "FOLDER/text"] },
        { 1, "-H grpc-timeout: gRPC writes this header itself", ["-H", "grpc-timeout: 1S"] },
        { 1, "-H: names and values have more than 8 KiB together, the limit of gRPC servers", ["-H", "a: " + new string('x', 8192)] },
        // Servers.
        { 2, "SERVER answers hello.v1.Greeter/SayHello with UNAUTHENTICATED: no key: " + ToRequest, ["-H", "key: (another)"] },
        { 2, $"SERVER answers {SayHello} with NOT_FOUND: nobody has the key (hidden): {ToRequest}", ["--data", """{"name":"nobody"}"""] },
        { 2, $"SERVER answers {SayHello} with INTERNAL: Error deserializing request: {ToRequest}", ["--data-binary", "@FOLDER/text"] },
    };

    public ValueTask InitializeAsync()
    {
        Write("empty.json", "");
        Write("blank.jsonl", "\n \n");
        Write("second.jsonl", "{\"name\":\"a\"}\n{\"name\":1}\n");
        Write("large.json", $$"""{"name":"{{new string('x', 4 << 20)}}"}""");
        Write("text", "no pem");
        File.WriteAllText(Path.Combine(folder.FullName, "wide.json"), """{"name":"you"}""", System.Text.Encoding.Unicode);
        File.WriteAllBytes(Path.Combine(folder.FullName, "latin.json"), [.. "{\"name\":\""u8, 0xFF, .. "\"}"u8]);
        return ValueTask.CompletedTask;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var server in servers)
            await server.DisposeAsync();
        folder.Delete(recursive: true);
    }

    [Fact]
    public async Task Each_wrong_use_of_the_option_call_gives_one_sentence_and_an_exit_code()
    {
        var server = await StartAsync(reflection: true);
        var wrong = new List<string>();
        foreach (var row in Typed.Select(row => row.Data))
        {
            var (code, sentence, typed) = row;
            string Here(string text) => text.Replace("SERVER", server, StringComparison.Ordinal)
                .Replace("FOLDER", folder.FullName, StringComparison.Ordinal);

            string[] key = typed.Contains("-H") ? [] : ["-H", "key: secret"];
            string[] method = typed.Contains("--call") ? [] : ["--call", SayHello];
            var seen = await SeenAsync(["-U", server, .. method, .. key, .. typed.Select(Here)]);
            if (seen != (code, Here(sentence)))
                wrong.Add($"{string.Join(' ', typed.Select(text => text[..Math.Min(60, text.Length)]))}: {seen}");
        }
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        Assert.True(Typed.Count >= 40);
    }

    [Fact]
    public async Task The_error_of_a_call_without_reflection_asks_for_types_in_a_file()
    {
        var server = await StartAsync(reflection: false);
        Assert.Equal(
            (2, $"{server} offers no server reflection (neither v1 nor v1alpha): give the types with --protoset or --proto"),
            await SeenAsync(["-U", server, "--call", SayHello]));
        Assert.Equal(
            (2, $"{server} answers, but does not know a.B/C (UNIMPLEMENTED: The server does not implement the method /a.B/C): "
                + "--list shows the server's methods"),
            await SeenAsync(["-U", server, "--call", "a.B/C", "--data-binary", "@" + Path.Combine(folder.FullName, "empty.json")]));
    }

    [Fact]
    public async Task The_exit_code_of_a_call_to_a_missing_server_is_2()
    {
        var seen = await SeenAsync(["-U", "unix:/tmp/nobody-is-here.sock", "--call", SayHello]);
        Assert.Equal((2, NobodyIsHere), seen);
    }

    [Theory]
    [InlineData("--data belongs to --call: add --call METHOD, or leave out --data", "--data", "{}")]
    [InlineData("--deadline belongs to --call: add --call METHOD, or leave out --deadline", "--deadline", "1s")]
    [InlineData("--expect belongs to --call: add --call METHOD, or leave out --expect", "--list", "--expect", "{}")]
    public async Task An_option_that_needs_the_option_call_is_rejected_if_call_is_not_given(string sentence, params string[] typed) =>
        Assert.Equal((1, sentence), await SeenAsync(["-U", "unix:/tmp/x", .. typed]));

    private static async Task<(int Code, string Sentence)> SeenAsync(string[] arguments)
    {
        var typed = CommandTree.Create(arguments).Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        Assert.Empty(typed.Errors);
        try
        {
            await typed.InvokeAsync(
                new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken);
            return (0, "it ran");
        }
        catch (Exception e) when (e is UsageException or InputException)
        {
            return (ExitCode.Usage, e.Message);
        }
        catch (Exception e) when (e is EnvironmentException or SchemaException)
        {
            return (ExitCode.Environment, e.Message);
        }
    }

    private async Task<string> StartAsync(bool reflection)
    {
        servers.Add(await ForeignServer.GreeterNodeAsync("unix", reflection));
        return $"{servers[^1].Address}";
    }

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(folder.FullName, name), text);
}
