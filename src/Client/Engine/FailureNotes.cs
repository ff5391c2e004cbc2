using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>What servers say of calls that fail: the first message of each kind in a window. From any thread.</summary>
/// <param name="secrets">Texts that no file may hold; a server may repeat what it was sent.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private const int Longest = 200;

    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the last window.</summary>
    public void Begin() => first.Clear();

    /// <summary>There is a message of that kind already.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="kind">As the failures are counted.</param>
    /// <param name="message">In the server's words; only the first of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (Has(kind))
            return;
        foreach (var secret in secrets ?? [])
            message = message.Replace(secret, "(hidden)", StringComparison.Ordinal);
        // A terminal obeys control characters, and a reader needs one line.
        message = string.Concat(message.Select(letter => char.IsControl(letter) ? ' ' : letter)).Trim();
        first.TryAdd(kind, message.Length <= Longest ? message : message[..Longest] + "…");
    }

    /// <summary>What was said until now.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
