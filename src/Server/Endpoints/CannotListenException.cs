namespace IpcBench.Server.Endpoints;

/// <summary>An address cannot be served; the message is one sentence that says why and what to do.</summary>
internal sealed class CannotListenException(string message, Exception? inner = null) : Exception(message, inner);
