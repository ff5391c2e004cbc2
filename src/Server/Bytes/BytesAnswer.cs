using System.Globalization;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.Bytes;

/// <summary>Answers <c>GET /bytes/{n}</c> and <c>POST /bytes/{n}</c>, which show the cost of HTTP/2 without gRPC.</summary>
internal static class BytesAnswer
{
    private const string ContentType = "application/octet-stream";

    public static async Task RunAsync(IFeatureCollection features, BenchServices services)
    {
        var (request, response) = (features.GetRequiredFeature<IHttpRequestFeature>(), features.GetRequiredFeature<IHttpResponseFeature>());
        var size = 0L;
        if (request.Method is not ("GET" or "POST"))
        {
            response.StatusCode = StatusCodes.Status405MethodNotAllowed;
        }
        else if (!BytesPath.TryParse(request.Path, out size) || !services.Accepts(size, out _))
        {
            response.StatusCode = StatusCodes.Status400BadRequest;
        }
        else
        {
            var endpoint = features.GetRequiredFeature<ServerEndpoint>();
            await endpoint.Behavior.HoldAsync();
            var reply = services.Bytes.For(endpoint.Behavior.SizeFor((int)size));
            if (endpoint.Behavior.EndsWithError)
                response.StatusCode = StatusCodes.Status500InternalServerError;
            else if (await ResponseWriter.WriteAsync(features, reply, services.Budget, ContentType))
                endpoint.Counters.CallAnswered();
        }
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
