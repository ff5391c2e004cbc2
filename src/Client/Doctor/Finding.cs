using System.Text.Json.Serialization;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Doctor;

/// <summary>What one check found.</summary>
/// <param name="Check">Stable short name, e.g. <c>open-files</c>.</param>
/// <param name="Level">How bad it is.</param>
/// <param name="Text">What was seen, with its numbers.</param>
/// <param name="Fix">What to do; empty when it is fine.</param>
internal sealed record Finding(string Check, Level Level, string Text, string Fix = "")
{
    /// <summary>The same as whole sentences, for the reports.</summary>
    public Advice ToAdvice() => new()
    {
        Id = Check,
        Doubt = Text + ".",
        Fix = Fix.Length == 0 ? "" : char.ToUpperInvariant(Fix[0]) + Fix[1..] + ".",
    };
}

/// <summary>How bad a finding is: only a problem stops a run.</summary>
internal enum Level
{
    [JsonStringEnumMemberName("ok")]
    Ok,

    [JsonStringEnumMemberName("warn")]
    Warn,

    [JsonStringEnumMemberName("problem")]
    Problem,
}
