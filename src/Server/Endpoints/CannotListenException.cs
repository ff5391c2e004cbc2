namespace IpcBench.Server.Endpoints;

/// <summary>Reports that an address cannot be served. The message is one sentence with cause and advice.</summary>
internal sealed class CannotListenException(string message, Exception? inner = null) : Exception(message, inner);
