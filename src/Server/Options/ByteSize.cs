using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using IpcBench.Host;

namespace IpcBench.Server.Options;

/// <summary>Reads numbers and sizes (64k, 64KiB, 1M) within bounds from the command line.</summary>
internal static class ByteSize
{
    /// <summary>
    /// The largest size in bytes: the length of .NET's largest array, minus room for the head of a frame.
    /// </summary>
    public const int Most = 0x7FFFFF00;

    /// <summary>Reads a whole number. A number outside the bounds is an error of the option.</summary>
    public static int Number(ArgumentResult result, int least, int most) =>
        Within(result, int.TryParse(
            result.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null, least, most);

    /// <summary>Reads a number of bytes. A number outside the bounds is an error of the option.</summary>
    public static int Size(ArgumentResult result, int least, int most) => Within(result, Units.Count(result.Tokens[0].Value), least, most);

    private static int Within(ArgumentResult result, double? value, int least, int most)
    {
        if (value is { } number && number >= least && number <= most && number == Math.Floor(number))
            return (int)number;
        var option = (result.Parent as OptionResult)?.Option.Name;
        result.AddError(
            FormattableString.Invariant($"'{result.Tokens[0].Value}' is not a value for {option}: write a number from {least} to {most}"));
        return 0;
    }
}

/// <summary>Makes options for numbers within bounds.</summary>
internal static class NumberOption
{
    public static Option<int> Number(string name, string description, int least, int most, int otherwise) =>
        new(name)
        {
            Description = description,
            DefaultValueFactory = _ => otherwise,
            CustomParser = result => ByteSize.Number(result, least, most),
        };

    public static Option<int?> Optional(string name, string description, int least, int most) =>
        new(name) { Description = description, CustomParser = result => ByteSize.Number(result, least, most) };

    public static Option<int> Size(string name, string description, int least, int most, int otherwise) =>
        new(name)
        {
            Description = description,
            HelpName = "BYTES",
            DefaultValueFactory = _ => otherwise,
            CustomParser = result => ByteSize.Size(result, least, most),
        };

    public static Option<int?> OptionalSize(string name, string description, int least, int most) =>
        new(name) { Description = description, HelpName = "BYTES", CustomParser = result => ByteSize.Size(result, least, most) };
}
