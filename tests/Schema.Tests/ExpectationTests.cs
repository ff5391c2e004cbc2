using IpcBench.Schema.Json;
using IpcBench.Schema.Tests.Support;

namespace IpcBench.Schema.Tests;

public class ExpectationTests
{
    [Theory]
    [InlineData("""{"id":"7"}""", """{"id":"7","labels":{"a":1}}""", null)]
    [InlineData("""{}""", """{"id":"7"}""", null)]
    [InlineData("""{"id":""}""", """{}""", null)]
    [InlineData("""{"items":[],"labels":{}}""", """{}""", null)]
    [InlineData("""{"at":null}""", """{}""", null)]
    [InlineData("""{"id":null,"items":null,"labels":null}""", """{}""", null)]
    [InlineData("""{"id":null}""", """{"id":"8"}""", "id: expected \"\", got \"8\"")]
    [InlineData("""{"items":[{"count":"1e1"}]}""", """{"items":[{"count":10,"name":"ink"}]}""", null)]
    [InlineData("""{"at":"2024-05-17T11:30:00+02:00"}""", """{"at":"2024-05-17T09:30:00Z"}""", null)]
    [InlineData("""{"id":"7"}""", """{"id":"8"}""", "id: expected \"7\", got \"8\"")]
    [InlineData("""{"id":""}""", """{"id":"8"}""", "id: expected \"\", got \"8\"")]
    [InlineData("""{"items":[{},{},{"price":3}]}""", """{"items":[{},{"price":9},{"price":4}]}""", "items[2].price: expected 3, got 4")]
    [InlineData("""{"items":[{},{"name":"ink"}]}""", """{"items":[{}]}""", "items[1]: expected {\"name\":\"ink\"}, got nothing")]
    [InlineData("""{"items":[]}""", """{"items":[{"count":2}]}""",
        "items[0]: expected nothing, got {\"name\":\"\",\"price\":0,\"count\":2}")]
    [InlineData("""{"labels":{"a b":1}}""", """{"labels":{"a b":2}}""", "labels[\"a b\"]: expected 1, got 2")]
    [InlineData("""{"labels":{"a":1}}""", """{}""", "labels.a: expected 1, got nothing")]
    [InlineData("""{"at":null}""", """{"at":"2024-05-17T09:30:00Z"}""", "at: expected null, got \"2024-05-17T09:30:00Z\"")]
    [InlineData("""{"at":"2024-05-17T09:30:00Z"}""", """{}""", "at: expected \"2024-05-17T09:30:00Z\", got nothing")]
    [InlineData("""{"id":"7","items":[{"count":1}]}""", """{"id":"8","items":[{"count":2}]}""", "id: expected \"7\", got \"8\"")]
    public void The_first_difference_is_reported_with_its_path(string expected, string reply, string? difference)
    {
        var expectation = new Expectation(Protos.Message("rich.Order"), expected, Protos.Types);
        Assert.Equal(difference, expectation.FirstDifference(Protos.Encode("rich.Order", reply)));
    }

    [Fact]
    public void The_difference_of_a_reply_that_is_a_single_value_is_reported_without_a_path()
    {
        var expectation = new Expectation(Protos.Message("google.protobuf.StringValue"), "\"a\"", Protos.Types);
        var reply = Protos.Encode("google.protobuf.StringValue", "\"b\"");
        Assert.Equal("reply: expected \"a\", got \"b\"", expectation.FirstDifference(reply));
    }

    [Fact]
    public void Long_values_are_shortened()
    {
        var expectation = new Expectation(Protos.Message("rich.Item"), $$"""{"name":"{{new string('x', 100)}}"}""", Protos.Types);
        Assert.Equal($"name: expected \"{new string('x', 59)}…, got \"\"", expectation.FirstDifference([]));
    }

    [Fact]
    public void A_reply_with_too_many_values_is_not_read()
    {
        var order = Protos.Message("rich.Order");
        var item = (byte)((order.FindFieldByName("items").FieldNumber << 3) | 2);
        var reply = Enumerable.Repeat(new byte[] { item, 0 }, 1_000_001).SelectMany(bytes => bytes).ToArray();
        var error = Assert.Throws<SchemaException>(() => new Expectation(order, "{}", Protos.Types).FirstDifference(reply));
        Assert.Equal("the message is too large to be read: it has more than 1000000 values", error.Message);
    }

    [Fact]
    public void Bytes_of_another_type_are_reported()
    {
        var expectation = new Expectation(Protos.Message("rich.Item"), "{}", Protos.Types);
        var error = Assert.Throws<SchemaException>(() => expectation.FirstDifference([0xFF]));
        Assert.Equal("1 bytes are not a rich.Item: While parsing a protocol message, the input ended unexpectedly in the middle of a "
            + "field.  This could mean either that the input has been truncated or that an embedded message misreported its own length",
            error.Message);
    }
}
