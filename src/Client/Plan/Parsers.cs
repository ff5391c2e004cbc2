using System.Globalization;
using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>
/// Reads values of the command line: <c>10s</c>, <c>64KiB</c>, <c>20k/s</c>, <c>1,8,64</c>. An invalid value throws a
/// <see cref="UsageException"/>.
/// </summary>
internal static class Parsers
{
    /// <summary>Reads a number of bytes or calls. <c>k</c> and <c>M</c> are decimal, <c>KiB</c> and <c>MiB</c> binary.</summary>
    public static long Count(string text, string what)
    {
        var value = Units.Count(text);
        if (value is not { } number || number < 0 || number > 1L << 50 || number != Math.Floor(number))
            throw new UsageException($"{what} '{text}' is not a whole number such as 10, 1k, 64KiB or 1M");
        return (long)number;
    }

    /// <summary>Reads a duration: <c>500ms</c>, <c>20s</c>, <c>2m</c>. A bare number is seconds.</summary>
    public static TimeSpan Duration(string text, string what)
    {
        var value = Units.Seconds(text);
        if (value is not { } seconds || seconds < 0 || seconds > 7 * 86400)
            throw new UsageException($"{what} '{text}' is not a duration such as 500ms, 20s or 2m");
        // FromSeconds truncates to ticks of 100 ns, which could turn 10 µs into 9.9 µs.
        return TimeSpan.FromTicks((long)Math.Round(seconds * TimeSpan.TicksPerSecond));
    }

    /// <summary>Reads a duration of at least a millisecond.</summary>
    public static TimeSpan Positive(string text, string what) => Duration(text, what) is var time && time >= TimeSpan.FromMilliseconds(1)
        ? time
        : throw new UsageException($"{what} must be at least 1ms");

    /// <summary>Checks the characters of an :authority, which is a host with an optional port (RFC 9113, 8.3.1).</summary>
    public static string Authority(string text) => text.Length is > 0 and <= 255
        && text.All(c => c is > ' ' and <= '~' and not '/' and not '@' and not ',')
        && Uri.TryCreate($"http://{text}/", UriKind.Absolute, out _)
        ? text
        : throw new UsageException($"--authority '{text}' is not a host name such as shop.example or shop.example:8443");

    /// <summary>Reads calls per second: <c>20k</c>, <c>500</c>, <c>1.5k/s</c>.</summary>
    public static double Rate(string text, string what)
    {
        var value = Units.Count(text.EndsWith("/s", StringComparison.Ordinal) ? text[..^2] : text);
        return value is { } rate and > 0 and <= 1e9 ? rate : throw new UsageException($"{what} '{text}' is not a rate such as 500 or 20k");
    }

    /// <summary>Reads a share: <c>25%</c> is 0.25, and <c>3 %</c> is the same as <c>0.03</c>.</summary>
    public static double Percent(string text, string what)
    {
        var percent = text.TrimEnd().EndsWith('%');
        var digits = percent ? text.TrimEnd()[..^1].TrimEnd() : text;
        if (!double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out var value) || !(value > 0)
            || value > (percent ? 1000 : 10))
            throw new UsageException($"{what} '{text}' is not a percentage such as 25%");
        return percent ? value / 100 : value;
    }

    /// <summary>Reads a CPU set such as <c>0-1,3</c>, and checks it against the CPUs that this process may use.</summary>
    public static CpuSet Cpus(string text, string what) => Cpus(text, what, Affinity.Available());

    internal static CpuSet Cpus(string text, string what, CpuSet? available)
    {
        if (!CpuSet.TryParse(text, out var set, out var error))
            throw new UsageException($"{what}: {error}");
        if (available is null)
            throw new UsageException($"{what}: this system cannot tie a process to CPUs: leave out {what}");
        var missing = set.Cpus.Except(available.Cpus).ToList();
        return missing.Count == 0
            ? set
            : throw new UsageException($"{what} {text}: this process may not use CPU {CpuSet.From(missing)}, only {available}");
    }

    /// <summary>Reads a whole number from <paramref name="least"/> to <paramref name="most"/>, which may have a unit.</summary>
    /// <param name="also">The end of the error message if the option accepts more than numbers, for example <c>, or auto</c>.</param>
    public static int Integer(string text, string what, int least, int most, string also = "")
    {
        if (Units.Count(text) is not { } value || value != Math.Floor(value))
            throw new UsageException($"{what} '{text}' is not a whole number such as 12{also}");
        return value >= least && value <= most
            ? (int)value
            : throw new UsageException($"{what} '{text}' must be between {least} and {most}");
    }

    public static string OneOf(string text, string what, params string[] choices) => choices.Contains(text)
        ? text
        : throw new UsageException($"{what} '{text}' is unknown: write one of {string.Join(", ", choices)}");

    /// <summary>Reads a whole file that an option names.</summary>
    public static byte[] File(string file, string what)
    {
        try
        {
            return WholeFile.Read(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            throw new UsageException($"{what} cannot be read: {e.Message}");
        }
    }

    /// <summary>Reads the address of a server that listens.</summary>
    /// <param name="prefix">The beginning of the error message.</param>
    public static Address Address(string text, string prefix = "") =>
        !Transports.Address.TryParse(text, out var address, out var error) ? throw new UsageException(prefix + error)
            : address is Transports.Address.Child ? throw new UsageException(
                $"{prefix}no server listens at {address.Kind}: only servers that this tool starts are measured over {address.Kind}")
            : address;

    /// <summary>Reads a comma-separated list without empty or repeated entries.</summary>
    public static IReadOnlyList<T> List<T>(string text, string what, Func<string, string, T> item)
    {
        var parts = text.Split(',', StringSplitOptions.TrimEntries);
        if (parts.Any(part => part.Length == 0))
            throw new UsageException($"{what} '{text}' has an empty entry");
        var items = parts.Select(part => item(part, what)).ToList();
        return items.Distinct().Count() == items.Count ? items : throw new UsageException($"{what} '{text}' names the same value twice");
    }

    /// <summary>
    /// Splits a command into words as a POSIX shell does, but without variables, patterns and other features of a shell. Single and
    /// double quotes work. A backslash escapes a character, except on Windows, where a backslash separates folders.
    /// </summary>
    public static IReadOnlyList<string> Words(string text, string what, bool? backslashIsPlain = null)
    {
        var isPlain = backslashIsPlain ?? OperatingSystem.IsWindows();
        var (words, word, quote) = (new List<string>(), (StringBuilder?)null, '\0');
        for (var i = 0; i < text.Length; i++)
        {
            var c = text[i];
            if (quote == '\0' && char.IsWhiteSpace(c))
            {
                if (word is not null)
                    words.Add(word.ToString());
                word = null;
                continue;
            }
            word ??= new StringBuilder();
            if (c is '\'' or '"' && (quote == '\0' || quote == c))
                quote = quote == '\0' ? c : '\0';
            else if (c != '\\' || isPlain || quote == '\'')
                word.Append(c);
            else if (++i == text.Length)
                throw new UsageException($"{what} ends with a backslash: {text}");
            else
                word.Append(quote == '\0' || text[i] is '"' or '\\' ? "" : "\\").Append(text[i]);
        }
        if (quote != '\0')
            throw new UsageException($"{what} has a quotation mark {quote} that is not closed: {text}");
        if (word is not null)
            words.Add(word.ToString());
        if (words.Count == 0)
            throw new UsageException($"{what} is empty: write the command that starts a server");
        return words[0].Length > 0 ? words
            : throw new UsageException($"{what} begins with an empty word, but the first word must be a program: {text}");
    }
}
