namespace IpcBench.Analysis.Plots;

/// <summary>A picture: its marks, and a description for readers who do not see it.</summary>
internal sealed record Panel(string Title, string Description, double Width, double Height, string Marks);
