using IpcBench.Transports;

namespace IpcBench.Server.Endpoints;

/// <summary>An address to listen on and the option that named it, for error messages.</summary>
internal readonly record struct ListenPlace(Address Address, string Option)
{
    public CannotListenException Refusal(string why, Exception? inner = null) => new($"cannot listen on {Address}: {why}", inner);
}
