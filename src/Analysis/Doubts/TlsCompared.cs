using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>TLS and plaintext stand in one comparison.</summary>
internal sealed class TlsCompared : IDoubt
{
    public Advice? Of(MeasuredRun run)
    {
        var tls = run.Cells.Where(cell => cell.Key.Transport == "tls").Select(cell => cell.Index).ToList();
        return tls.Count == 0 || tls.Count == run.Cells.Count ? null : new Advice
        {
            Id = "tls-compared",
            Doubt = "TLS encrypts and the other transports here do not: the difference is the price of encryption, not of a transport.",
            Fix = "Compare TLS with TLS, or read its rows as TCP with encryption.",
            Cells = tls,
        };
    }
}
