using IpcBench.Server.Services;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>
/// The room of a large reply in memory. The stack copies it into the response as a whole and is done with the call; there it stays until
/// the client has taken it.
/// </summary>
internal sealed class ReplyRoom(IDisposable room)
{
    /// <summary>Waits for room, which the call keeps until <see cref="Around"/> gives it back.</summary>
    public static ValueTask TakeAsync(WholeReplies replies, HttpContext http, long bytes)
    {
        var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
        var taking = replies.TakeAsync(bytes, connection.Abort, http.RequestAborted);
        if (!taking.IsCompletedSuccessfully)
            return KeepAsync(http, taking);
        Keep(http, taking.Result);
        return ValueTask.CompletedTask;
    }

    /// <summary>A call that ends when its client has taken a large reply.</summary>
    public static RequestDelegate Around(RequestDelegate answer) => http =>
    {
        var answering = answer(http);
        return answering.IsCompletedSuccessfully && http.Features.Get<ReplyRoom>() is null ? answering : ReturnAsync(http, answering);
    };

    private static async ValueTask KeepAsync(HttpContext http, ValueTask<IDisposable?> taking) => Keep(http, await taking);

    private static void Keep(HttpContext http, IDisposable? room)
    {
        if (room is not null)
            http.Features.Set(new ReplyRoom(room));
    }

    private static async Task ReturnAsync(HttpContext http, Task answering)
    {
        try
        {
            await answering;
            if (http.Features.Get<ReplyRoom>() is not null)
                await http.Response.BodyWriter.FlushAsync();
        }
        finally
        {
            http.Features.Get<ReplyRoom>()?.Return();
        }
    }

    private void Return() => room.Dispose();
}
