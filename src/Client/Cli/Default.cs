namespace IpcBench.Client.Cli;

/// <summary>The default value of an option, for reading the command line and for <c>--help</c>.</summary>
/// <param name="Own">The usual value, in the form in which the user would type it.</param>
/// <param name="Given">The value when exactly one server is given with <c>-U</c>. Null means the usual value.</param>
/// <param name="Quick">The value with <c>--quick</c>. Null means the value without <c>--quick</c>.</param>
internal sealed record Default(string Own, string? Given = null, string? Quick = null)
{
    private const int LongestList = 8;

    public string Choose(bool own, bool quick) => quick && Quick is not null ? Quick : own ? Own : Given ?? Own;

    /// <summary>
    /// Returns the value for the help, such as <c>20s with one -U, else 1s</c>. A long list is shortened to the first
    /// three entries and the last entry.
    /// </summary>
    public override string ToString()
    {
        if (Given is not null)
            return $"{Given} with one -U, else {Own}";
        var entries = Own.Split(',');
        return entries.Length <= LongestList ? Own : $"{string.Join(',', entries.Take(3))},…,{entries[^1]}";
    }
}
