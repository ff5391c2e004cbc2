namespace IpcBench.Client.Plan;

/// <summary>Where a run saves and prints its results.</summary>
internal sealed record OutputOptions
{
    /// <summary>The results file. Null means <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c>.</summary>
    public string? File { get; init; }
    public string Label { get; init; } = "";
    public bool Save { get; init; } = true;

    /// <summary>The reports that <c>-o</c> asks for, recognised by their extensions.</summary>
    public IReadOnlyList<ReportFile> Reports { get; init; } = [];

    /// <summary>The format of the report on stdout. The transcript then goes to stderr. Null means the transcript on stdout.</summary>
    public string? Format { get; init; }

    /// <summary>True to print only dotnet/crank's statistics block.</summary>
    public bool Crank { get; init; }

    /// <summary>True to print every round of every cell after its measurement, and to print the whole report, even on a terminal.</summary>
    public bool Verbose { get; init; }
}
