using System.Text;

namespace IpcBench.Http2;

public static class StaticTable
{
    public const int Count = 61;

    private static readonly (string Name, string Value)[] Texts =
    [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
        (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
        ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
        ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
        ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
        ("via", ""), ("www-authenticate", ""),
    ];

    private static readonly TableEntry[] Entries =
        [.. Texts.Select(text => new TableEntry(Encoding.ASCII.GetBytes(text.Name), Encoding.ASCII.GetBytes(text.Value)))];

    /// <summary>
    /// Finds the index of the first entry with this name and, if given, this value. 0 when there is no such entry.
    /// </summary>
    public static int Find(string name, string? value = null) =>
        Array.FindIndex(Texts, text => text.Name == name && (value is null || text.Value == value)) + 1;

    /// <param name="index">The index, from 1 to <see cref="Count"/>.</param>
    public static TableEntry Get(int index) => Entries[index - 1];
}
