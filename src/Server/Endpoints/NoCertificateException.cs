namespace IpcBench.Server.Endpoints;

/// <summary>This system makes no certificate, so <c>https:</c> cannot be served; everything else can.</summary>
internal sealed class NoCertificateException(string message, Exception inner) : Exception(message, inner);
