namespace IpcBench.Client.Protocols.Http1;

/// <summary>The statuses of an HTTP reply that count as success.</summary>
internal sealed class ExpectedStatus
{
    private readonly bool[] expected = new bool[600];

    private ExpectedStatus()
    {
    }

    /// <summary>200 to 299: a redirect is another reply than the one that is to be measured.</summary>
    public static ExpectedStatus Success { get; } = Parse("2xx");

    /// <param name="list">Statuses and classes separated by commas: <c>200</c>, <c>2xx</c>, <c>200,304,4xx</c>.</param>
    /// <exception cref="FormatException">It is no such list; the message is one sentence.</exception>
    public static ExpectedStatus Parse(string list)
    {
        var parsed = new ExpectedStatus();
        foreach (var part in list.Split(',', StringSplitOptions.TrimEntries))
        {
            if (part is not [>= '2' and <= '5', _, _])
                throw Refusal(part);
            var first = 100 * (part[0] - '0');
            if (part.EndsWith("xx", StringComparison.OrdinalIgnoreCase))
                parsed.expected.AsSpan(first, 100).Fill(true);
            else if (char.IsAsciiDigit(part[1]) && char.IsAsciiDigit(part[2]))
                parsed.expected[first + 10 * (part[1] - '0') + part[2] - '0'] = true;
            else
                throw Refusal(part);
        }
        return parsed;
    }

    public bool Has(int status) => status < expected.Length && expected[status];

    private static FormatException Refusal(string part) => new($"'{part}' is no status such as 200 or 2xx, from 200 to 599");
}
