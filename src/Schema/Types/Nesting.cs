using Google.Protobuf;

namespace IpcBench.Schema.Types;

/// <summary>
/// Recognizes the error for types that are nested too deeply. Google.Protobuf reads at most 100 levels of messages, and
/// each nested type takes a level.
/// </summary>
internal static class Nesting
{
    public const string Sentence = "has types that are nested deeper than about 100 levels, which cannot be read";

    public static bool IsTooDeep(InvalidProtocolBufferException e) => e.Message.Contains("levels of nesting", StringComparison.Ordinal);
}
