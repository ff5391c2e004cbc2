using System.Globalization;
using System.Text;
using System.Text.Json;

namespace IpcBench.Http2;

/// <summary>The texts of <c>grpc-status</c> and <c>grpc-message</c>.</summary>
public static class GrpcStatus
{
    private const int Codes = 17;

    // There is one string per code, so that the trailers of a call allocate nothing.
    private static readonly string[] CodeTexts =
        [.. Enumerable.Range(0, Codes).Select(code => code.ToString(CultureInfo.InvariantCulture))];

    public static string Text(GrpcStatusCode code) => CodeTexts[(int)code];

    /// <summary>Returns the name of the code in the gRPC specification, for example <c>INVALID_ARGUMENT</c>.</summary>
    public static string Name(GrpcStatusCode code) => JsonNamingPolicy.SnakeCaseUpper.ConvertName(code.ToString());

    /// <summary>
    /// Encodes the value of <c>grpc-message</c> as UTF-8. Every byte except printable ASCII becomes a percent escape, and so does
    /// <c>%</c>.
    /// </summary>
    public static string EncodeMessage(string message)
    {
        var encoded = new StringBuilder(message.Length);
        foreach (var unit in Encoding.UTF8.GetBytes(message))
        {
            if (unit is >= 0x20 and <= 0x7E and not (byte)'%')
                encoded.Append((char)unit);
            else
                encoded.Append(CultureInfo.InvariantCulture, $"%{unit:X2}");
        }
        return encoded.ToString();
    }

    /// <summary>
    /// Reads a <c>grpc-message</c>. An invalid escape is kept unchanged, because the server's error must not be replaced
    /// by an error of decoding.
    /// </summary>
    public static string DecodeMessage(ReadOnlySpan<byte> value) => Uri.UnescapeDataString(Encoding.UTF8.GetString(value));
}
