using System.Globalization;
using System.Text;

namespace IpcBench.Http2.Tests;

public class GrpcStatusTests
{
    [Theory]
    [InlineData("all is well", "all is well")]
    [InlineData("", "")]
    [InlineData("100%", "100%25")]
    [InlineData("a\nb\r\0", "a%0Ab%0D%00")]
    [InlineData("~ \u007F", "~ %7F")]
    [InlineData("größer", "gr%C3%B6%C3%9Fer")]
    [InlineData("🙂", "%F0%9F%99%82")]
    public void A_percent_encoded_message_decodes_to_the_same_message(string message, string encoded)
    {
        Assert.Equal(encoded, GrpcStatus.EncodeMessage(message));
        Assert.Equal(message, GrpcStatus.DecodeMessage(Encoding.ASCII.GetBytes(encoded)));
    }

    [Theory]
    [InlineData("50%", "50%")]
    [InlineData("%4", "%4")]
    [InlineData("%zz", "%zz")]
    [InlineData("%+1", "%+1")]
    [InlineData("%c3%b6", "ö")]
    [InlineData("%FF", "%FF")]
    public void An_invalid_escape_is_kept_and_throws_nothing(string encoded, string message) =>
        Assert.Equal(message, GrpcStatus.DecodeMessage(Encoding.ASCII.GetBytes(encoded)));

    [Fact]
    public void Every_status_code_has_its_number_and_its_name_in_capitals()
    {
        foreach (var code in Enum.GetValues<GrpcStatusCode>())
            Assert.Equal(((int)code).ToString(CultureInfo.InvariantCulture), GrpcStatus.Text(code));
        Assert.Equal(
            "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED "
            + "FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED",
            string.Join(' ', Enum.GetValues<GrpcStatusCode>().Select(GrpcStatus.Name)));
    }
}
