using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>A published claim of how many times as fast one thing is as another, by calls per second.</summary>
/// <param name="What">The row, as people say it: <c>Unix socket against TCP, 1 kB</c>.</param>
/// <param name="Cell">Where the one is measured.</param>
/// <param name="Reference">Where the other is measured.</param>
/// <param name="Low">Lower end of what is claimed.</param>
/// <param name="High">Upper end; equal to the lower where one number is claimed.</param>
/// <param name="Origin">How well it is known; both ends are 0 where it was not found.</param>
public sealed record PublishedRatio(string What, CellChoice Cell, CellChoice Reference, double Low, double High, PublishedOrigin Origin = PublishedOrigin.Original)
{
    public bool IsKnown => Origin != PublishedOrigin.NotFound;

    /// <summary><c>1.10×</c> or <c>2.00× – 3.00×</c>.</summary>
    public string Text => !IsKnown ? Quantity.None : Low == High ? Quantity.Ratio(Low) : $"{Quantity.Ratio(Low)} – {Quantity.Ratio(High)}";
}
