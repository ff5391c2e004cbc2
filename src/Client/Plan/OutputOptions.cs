namespace IpcBench.Client.Plan;

/// <summary>Where a run leaves what it measured.</summary>
internal sealed record OutputOptions
{
    /// <summary>Results file; null: <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c>.</summary>
    public string? File { get; init; }
    public string Label { get; init; } = "";
    public bool Save { get; init; } = true;

    /// <summary>A report on stdout instead of the transcript, which then goes to stderr; null: the transcript.</summary>
    public string? Format { get; init; }

    /// <summary>For dotnet/crank: nothing but the statistics block.</summary>
    public bool Crank { get; init; }
}
