using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Plan;

public class SecretsTests
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
    [InlineData("unix:/a|--label|why?|-o|b#1.json", "unix:/a|--label|why?|-o|b#1.json")]
    public void Kept_command_lines_hold_no_secret(string typed, string kept)
    {
        Assert.Equal(kept, string.Join('|', Secrets.Without(typed.Split('|'))));
        Assert.DoesNotContain("s3cret", kept, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://h:1/?s3cret")]
    [InlineData("http://me:s3cret@h:1")]
    [InlineData("ftp://h/?s3cret")]
    [InlineData("tcp://me:s3cret@h")]
    [InlineData("http://:0/?s3cret")]
    public void No_sentence_about_an_address_holds_a_secret(string text)
    {
        Assert.False(Address.TryParse(text, out _, out var error));
        Assert.DoesNotContain("s3cret", error, StringComparison.Ordinal);
    }

    [Fact]
    public void A_sentence_of_the_parser_does_not_quote_secrets() => Assert.Equal(
        "Unrecognized command or argument 'http://h/?(hidden)'.",
        Secrets.Without("Unrecognized command or argument 'http://h/?key=s3cret'.", ["http://h/?key=s3cret"]));
}
