using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Renderers;

/// <summary>Makes a kind of document from runs.</summary>
public interface IReport
{
    /// <summary>The name for <c>--format</c>.</summary>
    string Format { get; }

    /// <summary>Makes the document, with \n line ends.</summary>
    string Make(ReportModel model);
}
