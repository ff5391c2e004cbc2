using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.JsonRpc;

/// <summary>A tool of a server of the Model Context Protocol, and the arguments of each call.</summary>
/// <param name="Name">The name of the tool.</param>
/// <param name="Arguments">The arguments as a JSON object.</param>
internal sealed record ToolCall(string Name, string Arguments)
{
    /// <summary>The parameters of <c>tools/call</c> as a JSON object.</summary>
    public string Parameters => $"{{\"name\":{JsonSerializer.Serialize(Name, JsonNames.Default.String)},\"arguments\":{Arguments}}}";

    /// <summary>A hash of the arguments, by which results files distinguish calls with different arguments.</summary>
    public string Hash => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(Arguments)))[..12];

    /// <summary>Texts that failure messages must not show: each text value in the arguments, and each word of a value.</summary>
    public IReadOnlyList<string> Secrets
    {
        get
        {
            var texts = new List<string>();
            var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(Arguments));
            while (reader.Read())
            {
                if (reader.TokenType == JsonTokenType.String)
                    texts.Add(reader.GetString()!);
            }
            return ServerWords.Secrets(texts);
        }
    }

    /// <summary>Returns a call that asks this project's server for a text of this size in bytes.</summary>
    public static ToolCall Download(long size) => new("download", string.Create(CultureInfo.InvariantCulture, $"{{\"size\":{size}}}"));
}
