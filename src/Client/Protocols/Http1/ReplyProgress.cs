namespace IpcBench.Client.Protocols.Http1;

/// <summary>How far a reply has been read.</summary>
internal enum ReplyProgress
{
    /// <summary>There is more to come.</summary>
    More,

    /// <summary>It is over.</summary>
    Done,

    /// <summary>It is no HTTP/1, or it can be read in two ways.</summary>
    Broken,
}
