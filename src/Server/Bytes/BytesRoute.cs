using IpcBench.Server.Services;

namespace IpcBench.Server.Bytes;

/// <summary>Serves <c>/bytes/{n}</c> through ASP.NET Core's routing, where a stack has one.</summary>
internal static class BytesRoute
{
    public static void Map(IEndpointRouteBuilder routes, BenchServices services) =>
        routes.Map(BytesPath.Prefix + "{size?}", context => BytesAnswer.RunAsync(context.Features, services));
}
