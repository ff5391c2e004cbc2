using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>Keeps a server's first message about each kind of failure in a window. May be used from any thread.</summary>
/// <param name="secrets">Secrets that are hidden in the messages, since a server may repeat received values.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the messages of the previous window.</summary>
    public void Begin() => first.Clear();

    /// <summary>True when a message about this kind of failure is kept.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="kind">The kind of failure.</param>
    /// <param name="message">The server's text. Only the first text of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (!Has(kind))
            first.TryAdd(kind, ServerWords.OneLine(message, secrets ?? []));
    }

    /// <summary>Returns the first message of each kind of failure.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
