using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Plan;

public class RedactionTests
{
    [Theory]
    [InlineData("-H|Authorization: Bearer s3cret", "-H|Authorization: (hidden)")]
    [InlineData("-H|X-Key:s3cret", "-H|X-Key: (hidden)")]
    [InlineData("-H|s3cret", "-H|(hidden)")]
    [InlineData("-HCookie: s3cret", "-HCookie: (hidden)")]
    [InlineData("-H=Cookie: s3cret", "-H=Cookie: (hidden)")]
    [InlineData("-lHCookie: s3cret", "-lHCookie: (hidden)")]
    [InlineData("-lH|Cookie: s3cret", "-lH|Cookie: (hidden)")]
    [InlineData("--header|Cookie: s3cret|-c|4", "--header|Cookie: (hidden)|-c|4")]
    [InlineData("--header=Cookie: s3cret", "--header=Cookie: (hidden)")]
    [InlineData("--header:Cookie: s3cret", "--header:Cookie: (hidden)")]
    [InlineData("-H|accept: text/html", "-H|accept: text/html")]
    [InlineData("-H|Content-Type: application/json", "-H|Content-Type: application/json")]
    [InlineData("http|a=http://h:1/x?key=s3cret&b='s3cret'", "http|a=http://h:1/x?(hidden)")]
    [InlineData("https://me:s3cret@h:1/", "https://(hidden)@h:1/")]
    [InlineData("https://me:s3@cret@h:1/?s3cret", "https://(hidden)@h:1/?(hidden)")]
    [InlineData("http://h/#access_token=s3cret", "http://h/#(hidden)")]
    [InlineData("--path=/x?s3cret", "--path=/x?(hidden)")]
    [InlineData("-H|@headers.txt|-H|$TOKEN|-H@h", "-H|@headers.txt|-H|$TOKEN|-H@h")]
    [InlineData("--data|{\"key\":\"s3cret\"}|-c|4", "--data|(hidden)|-c|4")]
    [InlineData("--data={\"key\":\"s3cret\"}", "--data=(hidden)")]
    [InlineData("--expect|{\"key\":\"s3cret\"}|--data|@cart.json", "--expect|(hidden)|--data|@cart.json")]
    [InlineData("--data|-|--data:-|--data-binary|@cart.bin", "--data|-|--data:-|--data-binary|@cart.bin")]
    [InlineData("mcp|--|tool|-sH|X: s3cret|-sSHY: s3cret", "mcp|--|tool|-sH|X: (hidden)|-sSHY: (hidden)")]
    [InlineData("mcp|--|java|-DHOME=/x|-DH|/y", "mcp|--|java|-DHOME=/x|-DH|/y")]
    [InlineData("js=stdio:npx a --header 'X: s3cret' http://me:s3cret@h/", "js=stdio:npx a --header X: (hidden) http://(hidden)@h/")]
    [InlineData("http://me:s3cret@h/stdio:x?s3cret", "http://(hidden)@h/stdio:x?(hidden)")]
    [InlineData("-U|stdio:./srv \"a b\"", "-U|stdio:./srv \"a b\"")]
    [InlineData("unix:/a|--label|why?|-o|b#1.json", "unix:/a|--label|why?|-o|b#1.json")]
    public void Saved_command_lines_hold_no_secret(string typed, string kept)
    {
        Assert.Equal(kept, string.Join('|', Redaction.Without(typed.Split('|'))));
        Assert.DoesNotContain("s3cret", kept, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://h:1/?s3cret")]
    [InlineData("http://me:s3cret@h:1")]
    [InlineData("ftp://h/?s3cret")]
    [InlineData("tcp://me:s3cret@h")]
    [InlineData("http://:0/?s3cret")]
    public void No_message_about_an_address_holds_a_secret(string text)
    {
        Assert.False(Address.TryParse(text, out _, out var error));
        Assert.DoesNotContain("s3cret", error, StringComparison.Ordinal);
    }

    [Fact]
    public void An_error_of_the_parser_does_not_quote_secrets() => Assert.Equal(
        "Unrecognized command or argument 'http://h/?(hidden)'.",
        Redaction.Without("Unrecognized command or argument 'http://h/?key=s3cret'.", ["http://h/?key=s3cret"]));

    [Fact]
    public void Headers_are_read_from_a_file_or_an_environment_variable()
    {
        var file = Path.GetTempFileName();
        var variable = "HEADERS_" + Guid.NewGuid().ToString("N");
        try
        {
            File.WriteAllText(file, "authorization: Bearer s3cret\r\n\n x-tenant: blue \n");
            Environment.SetEnvironmentVariable(variable, "cookie: id=s3cret");
            Assert.Equal(["a: b", "authorization: Bearer s3cret", "x-tenant: blue", "cookie: id=s3cret", "$a: b"],
                HeaderTexts.Read(["a: b", "@" + file, "$" + variable, "$a: b"]));
        }
        finally
        {
            File.Delete(file);
            Environment.SetEnvironmentVariable(variable, null);
        }
    }

    [Theory]
    [InlineData("@/no/such/headers", "-H @/no/such/headers cannot be read: ")]
    [InlineData("$NO_SUCH_VARIABLE", "-H $NO_SUCH_VARIABLE: the environment has no variable NO_SUCH_VARIABLE")]
    public void Missing_files_and_variables_of_headers_are_reported(string text, string sentence) => Assert.StartsWith(
        sentence, Assert.Throws<UsageException>(() => HeaderTexts.Read([text])).Message, StringComparison.Ordinal);
}
