using IpcBench.Analysis.Results;

namespace IpcBench.Client.Doctor;

/// <summary>The result of a check.</summary>
/// <param name="Check">A short stable name, e.g. <c>open-files</c>.</param>
/// <param name="Fix">The advice. Empty when all is well.</param>
internal sealed record Finding(string Check, Level Level, string Text, string Fix = "")
{
    /// <summary>Returns the finding as whole sentences, for reports.</summary>
    public Advice ToAdvice() => new()
    {
        Id = Check,
        Doubt = Text + ".",
        Fix = Fix.Length == 0 ? "" : char.ToUpperInvariant(Fix[0]) + Fix[1..] + ".",
    };
}
