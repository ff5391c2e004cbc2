using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Plan;

/// <summary>A report that is written into a file when the run is over.</summary>
internal sealed record ReportFile(string Path, string Format)
{
    /// <exception cref="EnvironmentException">The file cannot be written.</exception>
    public static void Write(string path, string text) => Attempt(path, () =>
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        WholeFile.Write(path, file => file.Write(bytes));
    });

    /// <summary>Checks before a run that the report can be written after the run.</summary>
    /// <exception cref="EnvironmentException">The file cannot be written.</exception>
    public void TryWrite() => Attempt(Path, () => WholeFile.TryWrite(Path, file => file.WriteByte(0)));

    private static void Attempt(string path, Action write)
    {
        try
        {
            write();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new EnvironmentException(WholeFile.Refusal(path, e), e);
        }
    }
}
