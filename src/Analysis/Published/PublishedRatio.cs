using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>A published ratio of calls per second.</summary>
/// <param name="What">The name of the row: <c>Unix socket against TCP, 1 kB</c>.</param>
/// <param name="Cell">The cell of the numerator.</param>
/// <param name="Reference">The cell of the denominator.</param>
/// <param name="High">The upper end of the published range. Equal to the lower end if a single number was published.</param>
/// <param name="Origin">How reliable the ratio is. If the ratio could not be read, both ends are 0.</param>
public sealed record PublishedRatio(string What, CellChoice Cell, CellChoice Reference, double Low, double High,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    public bool IsKnown => Origin != PublishedOrigin.NotFound;

    /// <summary>The ratio as text: <c>1.10×</c> or <c>2.00× – 3.00×</c>.</summary>
    public string Text => !IsKnown ? Quantity.None : Low == High ? Quantity.Ratio(Low) : $"{Quantity.Ratio(Low)} – {Quantity.Ratio(High)}";
}
