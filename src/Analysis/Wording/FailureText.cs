namespace IpcBench.Analysis.Wording;

/// <summary>Failures of calls as text.</summary>
internal static class FailureText
{
    private const string Status = "status ";

    // https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
    private static readonly string[] Names =
    [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED",
    ];

    /// <summary>Describes the failures of a kind: <c>status 5 NOT_FOUND: 12 ("no such cart")</c>.</summary>
    public static string Describe(string kind, long count, string? message) =>
        TextBuilding.Invariant($"{kind}{NameOf(kind)}: {count}") + (message is { Length: > 0 } ? $" (\"{message}\")" : "");

    private static string NameOf(string kind) =>
        kind.StartsWith(Status, StringComparison.Ordinal) && int.TryParse(kind.AsSpan(Status.Length), out var code)
            && code > 0 && code < Names.Length ? " " + Names[code] : "";
}
