namespace IpcBench.Server.Endpoints;

/// <summary>
/// Reports that this system cannot make a certificate. Then <c>https:</c> cannot be served, but other addresses can.
/// </summary>
internal sealed class NoCertificateException(string message, Exception inner) : Exception(message, inner);
