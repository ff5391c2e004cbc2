using System.Security.Cryptography;
using System.Text;
using IpcBench.Schema.Requests;
using IpcBench.Schema.Tests.Support;

namespace IpcBench.Schema.Tests;

public sealed class CorpusTests : IDisposable
{
    private static readonly CorpusLimits Limits = new(MessageBytes: 100, TotalBytes: 1000);

    private readonly TempFolder folder = new();

    public void Dispose() => folder.Dispose();

    [Fact]
    public void JSON_on_the_command_line_is_one_request()
    {
        var corpus = Corpus.OfJson("""{"name":"ink"}""", Protos.Message("rich.Item"), Protos.Types, Limits, NoInput);
        Assert.Equal(["0A03696E6B"], Hex(corpus));
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(Convert.FromHexString("00000005" + "0A03696E6B"))), corpus.Hash);
    }

    [Theory]
    [InlineData("{\"count\":1}\n\n  \n{\"count\":2}\r\n{}")]
    [InlineData("\uFEFF{\"count\":1}\n{\"count\":2}\n{}\n")]
    public void A_jsonl_file_has_one_request_per_line(string text) =>
        Assert.Equal(["1801", "1802", ""], Hex(Json($"@{folder.Write("items.jsonl", text)}")));

    [Theory]
    [InlineData("{\n  \"count\": 1\n}", "1801")]
    [InlineData("{\"count\":1}\n{\"count\":2}", "1801 1802")]
    public void A_json_file_and_standard_input_have_one_or_more_requests(string text, string expected)
    {
        Assert.Equal(expected.Split(' '), Hex(Json($"@{folder.Write("items.json", text)}")));
        Assert.Equal(expected.Split(' '), Hex(Json("-", text)));
    }

    [Fact]
    public void Binary_requests_are_sent_unchanged()
    {
        var corpus = Corpus.OfBinary($"@{folder.Write("any.bin", [1, 2, 3])}", Limits, NoInput);
        Assert.Equal(["010203"], Hex(corpus));
        Assert.Equal(["010203"], Hex(Corpus.OfBinary("-", Limits, () => new MemoryStream([1, 2, 3]))));
        Assert.Equal([""], Hex(Corpus.OfBinary("-", Limits, () => new MemoryStream())));
    }

    [Fact]
    public void The_hash_of_a_corpus_depends_on_its_messages_and_not_on_their_spelling()
    {
        Assert.NotEqual(Json("-", """{"name":"a"} {"count":1}""").Hash, Json("-", """{"name":"a","count":1}""").Hash);
        Assert.Equal(Json("-", """{"count":1}""").Hash, Json("-", """{ "count" : "1e0" }""").Hash);
    }

    [Theory]
    [InlineData("items.jsonl", "{}\n\n{\"count\":x}\n", "{0}:3:10: the text is not JSON: 'x' is an invalid start of a value")]
    [InlineData("items.jsonl", "{}\n{\"count\":\n1}\n", "{0}:2:10: the JSON ends too early")]
    [InlineData("items.jsonl", "{}{}\n", "{0}:1:3: text follows the end of the JSON value")]
    [InlineData("items.jsonl", "\n{\"nam\":\"\"}\n", "{0}:2:2: rich.Item has no field \"nam\": did you mean name?")]
    [InlineData("items.json", "{}\n{\n \"ä\": 1, \"nam\":\"\"}\n", "{0}:3:2: rich.Item has no field \"ä\": known names are name, "
        + "price, count")]
    [InlineData("items.jsonl", "\n \n", "{0} holds no request: an empty message is {{}}")]
    [InlineData("items.json", "", "{0} holds no request: an empty message is {{}}")]
    [InlineData("items.json", "[{}]", "{0}:1:1: rich.Item takes an object in braces, not a list")]
    public void An_invalid_file_is_reported_with_line_and_column(string name, string text, string sentence)
    {
        var path = folder.Write(name, text);
        Assert.Equal(string.Format(sentence, path), Assert.Throws<InputException>(() => Json($"@{path}")).Message);
    }

    [Fact]
    public void The_error_of_a_too_large_message_or_corpus_names_the_limit()
    {
        var large = $$"""{"name":"{{new string('x', 120)}}"}""";
        Assert.Equal("line 1, column 1: the request has 122 bytes, but a message may have at most 100", Error(() => Json(large)));
        Assert.Equal(
            "standard input:2:1: the request has 122 bytes, but a message may have at most 100", Error(() => Json("-", $"{{}}\n{large}")));
        Assert.Equal(
            "standard input has more than 1000 bytes, too many for a corpus in memory", Error(() => Json("-", new string(' ', 1001))));
        var path = folder.Write("any.bin", new byte[101]);
        Assert.Equal(
            $"{path} has 101 bytes, but a message may have at most 100", Error(() => Corpus.OfBinary($"@{path}", Limits, NoInput)));
        var many = folder.Write("many.jsonl", string.Concat(Enumerable.Repeat("{\"doubles\":[1,1,1,1,1,1,1,1,1,1]}\n", 13)));
        Assert.Equal($"{many}:13:1: the requests have more than 1000 bytes together", Error(
            () => Corpus.OfJson($"@{many}", Protos.Message("rich.Three"), Protos.Types, Limits, NoInput)));
    }

    [Fact]
    public void Unreadable_files_and_data_without_a_request_are_reported()
    {
        var missing = Path.Combine(folder.Path, "none.json");
        Assert.Equal($"there is no file {missing}", Error(() => Json($"@{missing}")));
        Assert.Equal($"{folder.Path} is a folder, not a file", Error(() => Json($"@{folder.Path}")));
        Assert.Equal(
            "'data.bin' is not a file of message bytes: write @file, or - for standard input",
            Error(() => Corpus.OfBinary("data.bin", Limits, NoInput)));
        Assert.Equal("the data holds no request: an empty message is {}", Error(() => Json("")));
    }

    private static string Error(Func<object> act) => Assert.Throws<InputException>(act).Message;

    private static IEnumerable<string> Hex(Corpus corpus) => corpus.Messages.Select(Convert.ToHexString);

    private static Corpus Json(string data, string? input = null)
    {
        Func<Stream> standardInput = input is null ? NoInput : () => new MemoryStream(Encoding.UTF8.GetBytes(input));
        return Corpus.OfJson(data, Protos.Message("rich.Item"), Protos.Types, Limits, standardInput);
    }

    private static Stream NoInput() => throw new InvalidOperationException("standard input was read without need");
}
