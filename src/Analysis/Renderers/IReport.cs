using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Renderers;

/// <summary>Makes one kind of document from runs.</summary>
public interface IReport
{
    /// <summary>As typed after <c>--format</c>.</summary>
    string Format { get; }

    /// <summary>The document, with \n line ends.</summary>
    string Make(ReportModel model);
}
