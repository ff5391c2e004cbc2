namespace IpcBench.Client.Engine;

/// <summary>
/// Reads counters at the edges of a window. The methods are called on the thread that supervises the window, while load may be
/// running. They must neither throw nor wait.
/// </summary>
internal interface IWindowEdges
{
    /// <summary>Called shortly before the window begins. Slow readings belong here.</summary>
    void BeforeBegin()
    {
    }

    /// <summary>Called directly before the window begins. CPU times are read here.</summary>
    void OnBegin();

    /// <summary>Called directly after the window has ended. CPU times are read here.</summary>
    void OnEnd();

    /// <summary>Called shortly after the end of the window. Slow readings belong here and not in <see cref="OnEnd"/>.</summary>
    void AfterEnd()
    {
    }
}
