namespace IpcBench.Http2;

/// <summary>The content of one block of response fields.</summary>
public struct HeaderBlock()
{
    /// <summary>The HTTP status. 0 in trailers, which have no status.</summary>
    public int Status;

    /// <summary>
    /// The number of the grpc-status. -1 without a grpc-status. <see cref="BadGrpcStatus"/> if its text is not one or two digits.
    /// </summary>
    public int GrpcStatus = -1;

    public bool IsGrpc;

    /// <summary>Whether the block is malformed by RFC 9113, 8.1.1.</summary>
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
