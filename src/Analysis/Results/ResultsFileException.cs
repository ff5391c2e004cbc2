namespace IpcBench.Analysis.Results;

/// <summary>A results file cannot be read or written; the message is one sentence that says why.</summary>
public sealed class ResultsFileException(string message, Exception? inner = null) : Exception(message, inner);
