using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Json;

/// <summary>
/// Reads scalars by the JSON mapping (https://protobuf.dev/programming-guides/json). A map's key is a scalar inside a string.
/// </summary>
internal sealed class ScalarReader(JsonSource source)
{
    public object Read(FieldDescriptor field, JsonNode node, bool isKey = false) => field.FieldType switch
    {
        FieldType.Int32 or FieldType.SInt32 or FieldType.SFixed32 => (int)Whole(field, node, int.MinValue, int.MaxValue),
        FieldType.UInt32 or FieldType.Fixed32 => (uint)Whole(field, node, uint.MinValue, uint.MaxValue),
        FieldType.Int64 or FieldType.SInt64 or FieldType.SFixed64 => (long)Whole(field, node, long.MinValue, long.MaxValue),
        FieldType.UInt64 or FieldType.Fixed64 => (ulong)Whole(field, node, ulong.MinValue, ulong.MaxValue),
        FieldType.Double => Number(field, node, double.MaxValue),
        FieldType.Float => (float)Number(field, node, float.MaxValue),
        FieldType.Bool => Truth(node, isKey) ?? throw Wrong(field, node, "true or false"),
        FieldType.String => node.Kind == JsonValueKind.String ? node.Text : throw Wrong(field, node, "text in quotes"),
        FieldType.Bytes => Bytes(field, node),
        FieldType.Enum => Enum(field, node),
        _ => throw new InvalidOperationException($"{field.FieldType} is no scalar"),
    };

    public InputException Wrong(FieldDescriptor field, JsonNode node, string wanted) =>
        source.Error(node.At, $"{field.FullName} is {Kind(field)} and takes {wanted}, not {node.Shown}");

    private static string Kind(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Enum => $"the enum {field.EnumType.FullName}",
        FieldType.Int32 or FieldType.Int64 => $"an {field.FieldType.ToString().ToLowerInvariant()}",
        FieldType.Bytes => "bytes",
        _ => $"a {field.FieldType.ToString().ToLowerInvariant()}",
    };

    private Int128 Whole(FieldDescriptor field, JsonNode node, Int128 least, Int128 most)
    {
        var number = node.Kind is JsonValueKind.Number or JsonValueKind.String ? WholeNumber.Parse(node.Text) : null;
        return number >= least && number <= most ? number.Value : throw Wrong(field, node, $"a whole number from {least} to {most}");
    }

    private double Number(FieldDescriptor field, JsonNode node, double most)
    {
        if (node.Kind == JsonValueKind.String && node.Text is "NaN" or "Infinity" or "-Infinity")
            return node.Text == "NaN" ? double.NaN : node.Text == "Infinity" ? double.PositiveInfinity : double.NegativeInfinity;
        const NumberStyles style = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (node.Kind is not (JsonValueKind.Number or JsonValueKind.String)
            || !double.TryParse(node.Text, style, CultureInfo.InvariantCulture, out var number) || double.IsNaN(number))
            throw Wrong(field, node, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
        var inRange = most == float.MaxValue ? float.IsFinite((float)number) : double.IsFinite(number);
        return inRange ? number : throw Wrong(field, node, $"numbers up to {most.ToString("R", CultureInfo.InvariantCulture)}");
    }

    private static bool? Truth(JsonNode node, bool isKey) => node.Kind switch
    {
        JsonValueKind.True => true,
        JsonValueKind.False => false,
        JsonValueKind.String when isKey && node.Text is "true" or "false" => node.Text == "true",
        _ => null,
    };

    private ByteString Bytes(FieldDescriptor field, JsonNode node)
    {
        if (node.Kind != JsonValueKind.String)
            throw Wrong(field, node, "base64 text");
        // base64url differs from base64 in two letters. Both may omit their padding.
        var standard = node.Text.Replace('-', '+').Replace('_', '/').TrimEnd('=');
        try
        {
            return ByteString.FromBase64(standard.PadRight((standard.Length + 3) / 4 * 4, '='));
        }
        catch (FormatException)
        {
            throw Wrong(field, node, "base64 text");
        }
    }

    private int Enum(FieldDescriptor field, JsonNode node)
    {
        var type = field.EnumType;
        if (node.Kind == JsonValueKind.Null && type.FullName == "google.protobuf.NullValue")
            return 0;
        if (node.Kind == JsonValueKind.String)
        {
            var hint = Nearest.Hint(node.Text, type.Values.Select(value => value.Name));
            return type.FindValueByName(node.Text)?.Number ?? throw Unknown(type, node, hint);
        }
        if (node.Kind != JsonValueKind.Number)
            throw Wrong(field, node, "the name or number of a value");
        var number = (int)Whole(field, node, int.MinValue, int.MaxValue);
        return type.FindValueByNumber(number) is not null || !IsClosed(type)
            ? number
            : throw Unknown(type, node, ": known values are "
                + $"{string.Join(", ", type.Values.Select(value => value.Number).Distinct().Take(8))}");
    }

    /// <summary>
    /// Whether the enum is closed, which means that only its declared numbers are valid. An enum is closed in proto2, and in
    /// an edition if the feature enum_type is CLOSED for the enum, or for the message or file that contains the enum
    /// (https://protobuf.dev/editions/features).
    /// </summary>
    private static bool IsClosed(EnumDescriptor type)
    {
        var file = type.File.ToProto();
        var said = new List<FeatureSet?> { type.ToProto().Options?.Features };
        for (var message = type.ContainingType; message is not null; message = message.ContainingType)
            said.Add(message.ToProto().Options?.Features);
        said.Add(file.Options?.Features);
        return file.Syntax is "" or "proto2"
            || said.Find(features => features?.HasEnumType == true)?.EnumType == FeatureSet.Types.EnumType.Closed;
    }

    private InputException Unknown(EnumDescriptor type, JsonNode node, string hint) =>
        source.Error(node.At, $"the enum {type.FullName} has no value {node.Shown}{hint}");
}

/// <summary>Reads whole numbers of the JSON mapping (1000, 1e3, 1000.0) exactly, without floating point.</summary>
internal static partial class WholeNumber
{
    // 2^64 has 20 digits.
    private const int MostDigits = 20;

    /// <summary>Reads the number. Null when the text is not a whole number or has more digits than any integer type.</summary>
    public static Int128? Parse(string text)
    {
        var match = Form().Match(text);
        if (!match.Success)
            return null;
        var fraction = match.Groups["fraction"].Value;
        var digits = (match.Groups["whole"].Value + fraction).TrimStart('0');
        var significant = digits.TrimEnd('0');
        if (significant.Length == 0)
            return 0;
        var written = match.Groups["exponent"];
        var exponent = written.Length == 0 ? 0 : int.Parse(written.ValueSpan, CultureInfo.InvariantCulture);
        var zeros = exponent - fraction.Length + digits.Length - significant.Length;
        if (zeros < 0 || significant.Length + zeros > MostDigits)
            return null;
        var number = Int128.Parse(significant + new string('0', zeros), CultureInfo.InvariantCulture);
        return match.Groups["sign"].Length > 0 ? -number : number;
    }

    [GeneratedRegex(
        @"\A(?<sign>-?)(?<whole>[0-9]+)(\.(?<fraction>[0-9]+))?([eE](?<exponent>[+-]?[0-9]{1,6}))?\z",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant)]
    private static partial Regex Form();
}
