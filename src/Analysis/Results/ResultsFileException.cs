namespace IpcBench.Analysis.Results;

/// <summary>The error that a results file cannot be read or written. The message is one sentence that says why.</summary>
public sealed class ResultsFileException(string message, Exception? inner = null) : Exception(message, inner);
