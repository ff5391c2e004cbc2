namespace IpcBench.Analysis.Profile;

/// <summary>The kind of code that a frame belongs to.</summary>
public enum FrameKind
{
    Kernel,
    Native,
    Managed,
}
