using IpcBench.Client.Protocols.Grpc;

namespace IpcBench.Client.Tests.Http2;

public class DeadlineTests
{
    [Theory]
    [InlineData(0.0000001, "1u")]
    [InlineData(0.25, "250000u")]
    [InlineData(99.9999995, "100000m")]
    [InlineData(99_999.9995, "100000S")]
    [InlineData(108_000, "108000S")]
    public void A_deadline_has_at_most_eight_digits(double seconds, string timeout)
    {
        var call = new GrpcCall { Method = "a.B/C", Messages = [[]], Corpus = "", Deadline = TimeSpan.FromSeconds(seconds) };
        Assert.Equal([("grpc-timeout", timeout)], call.Fields);
    }
}
