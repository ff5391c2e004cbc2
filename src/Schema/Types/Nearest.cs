namespace IpcBench.Schema.Types;

/// <summary>Suggests names for a misspelt name.</summary>
public static class Nearest
{
    private const int Listed = 8;

    /// <summary>
    /// Makes the end of an error message about an unknown name: up to three known names that differ by a few letters, otherwise
    /// the first known names. The text begins with a colon. Empty when no names are known.
    /// </summary>
    public static string Hint(string asked, IEnumerable<string> known)
    {
        var names = known.Distinct(StringComparer.Ordinal).ToList();
        if (names.Count == 0)
            return "";
        var near = names
            .Select(name => (Name: name, Distance: Distance(asked.ToLowerInvariant(), name.ToLowerInvariant())))
            .Where(candidate => candidate.Distance <= Math.Max(1, candidate.Name.Length / 4))
            .OrderBy(candidate => candidate.Distance).ThenBy(candidate => candidate.Name, StringComparer.Ordinal)
            .Take(3).Select(candidate => candidate.Name).ToList();
        if (near.Count > 0)
            return $": did you mean {string.Join(" or ", near)}?";
        var more = names.Count > Listed ? $" and {names.Count - Listed} more" : "";
        return $": known names are {string.Join(", ", names.Take(Listed))}{more}";
    }

    /// <summary>
    /// Computes the edit distance (V. I. Levenshtein, 1966), row by row. A name of more than 200 letters cannot be a
    /// typing error and gives <see cref="int.MaxValue"/>.
    /// </summary>
    public static int Distance(string from, string to)
    {
        if (from.Length > 200 || to.Length > 200)
            return int.MaxValue;
        var row = Enumerable.Range(0, to.Length + 1).ToArray();
        for (var i = 1; i <= from.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= to.Length; j++)
            {
                var replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(replaced, Math.Min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.Length];
    }
}
