using System.Globalization;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.Bytes;

/// <summary>Answers <c>GET /bytes/{n}</c> and <c>POST /bytes/{n}</c>, which show the cost of HTTP/2 without gRPC.</summary>
internal static class BytesAnswer
{
    private const string ContentType = "application/octet-stream";

    public static Task RunAsync(IFeatureCollection features, BenchServices services)
    {
        var request = features.GetRequiredFeature<IHttpRequestFeature>();
        if (request.Method is not ("GET" or "POST"))
            return Refuse(features, StatusCodes.Status405MethodNotAllowed);
        if (!BytesPath.TryParse(request.Path, out var size) || !services.Accepts(size, out _))
            return Refuse(features, StatusCodes.Status400BadRequest);
        var endpoint = features.GetRequiredFeature<ServerEndpoint>();
        if (endpoint.Behavior != EndpointBehavior.None)
            return WithBehaviorAsync(features, services, endpoint, (int)size);
        var writing = ResponseWriter.WriteAsync(features, services.Bytes.For((int)size), services.Budget, ContentType);
        if (!writing.IsCompletedSuccessfully)
            return EndAsync(writing, endpoint);
        if (writing.Result)
            endpoint.Counters.CallAnswered();
        return Task.CompletedTask;
    }

    private static async Task WithBehaviorAsync(IFeatureCollection features, BenchServices services, ServerEndpoint endpoint, int size)
    {
        await endpoint.Behavior.HoldAsync();
        if (endpoint.Behavior.EndsWithError)
        {
            await Refuse(features, StatusCodes.Status500InternalServerError);
            return;
        }
        var reply = services.Bytes.For(endpoint.Behavior.SizeFor(size));
        await EndAsync(ResponseWriter.WriteAsync(features, reply, services.Budget, ContentType), endpoint);
    }

    private static async Task EndAsync(ValueTask<bool> writing, ServerEndpoint endpoint)
    {
        if (await writing)
            endpoint.Counters.CallAnswered();
    }

    private static Task Refuse(IFeatureCollection features, int status)
    {
        features.GetRequiredFeature<IHttpResponseFeature>().StatusCode = status;
        return Task.CompletedTask;
    }
}

/// <summary>The path <c>/bytes/{n}</c>, which answers with n bytes over HTTP/2 without gRPC.</summary>
internal static class BytesPath
{
    public const string Prefix = "/bytes/";

    public static bool IsBytes(string path) => path.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>Reads the number after the prefix. Returns false when no number follows.</summary>
    public static bool TryParse(string path, out long size) =>
        long.TryParse(IsBytes(path) ? path.AsSpan(Prefix.Length) : [], NumberStyles.None, CultureInfo.InvariantCulture, out size);
}

/// <summary>Serves <c>/bytes/{n}</c> through ASP.NET Core's routing, for stacks that use routing.</summary>
internal static class BytesRoute
{
    public static void Map(IEndpointRouteBuilder routes, BenchServices services) =>
        routes.Map(BytesPath.Prefix + "{size?}", context => BytesAnswer.RunAsync(context.Features, services));
}
