namespace IpcBench.Analysis.Plots;

/// <summary>One picture: its marks in a box, and what it shows in words for those who do not see it.</summary>
internal sealed record Panel(string Title, string Description, double Width, double Height, string Marks);
