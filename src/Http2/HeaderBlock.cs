namespace IpcBench.Http2;

/// <summary>What one block of response fields said.</summary>
public struct HeaderBlock()
{
    /// <summary>HTTP status, or 0 when there was none (trailers).</summary>
    public int Status;

    /// <summary>-1: there was none; <see cref="BadGrpcStatus"/>: there was one that is no number.</summary>
    public int GrpcStatus = -1;

    public bool IsGrpc;

    /// <summary>Not a response that HTTP/2 allows (RFC 9113, 8.1.1).</summary>
    public bool Malformed;

    private bool sawRegular;

    public const int BadGrpcStatus = -2;

    public void Add(HeaderField field)
    {
        switch (field.Name)
        {
            case HeaderName.Status:
                Malformed |= sawRegular || Status != 0 || field.Value < 100;
                Status = field.Value;
                return;
            case HeaderName.GrpcStatus:
                GrpcStatus = field.Value < 0 ? BadGrpcStatus : field.Value;
                break;
            case HeaderName.ContentType:
                IsGrpc = field.Value == 1;
                break;
            case HeaderName.Forbidden:
                Malformed = true;
                break;
        }
        sawRegular = true;
    }
}
