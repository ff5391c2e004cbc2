// An MCP server made with the C# SDK: on standard input and output, or with a port over streamable HTTP at /mcp.
using System.ComponentModel;
using ModelContextProtocol.Server;

if (args.Length == 0)
{
    var builder = Host.CreateEmptyApplicationBuilder(null);
    builder.Services.AddMcpServer().WithStdioServerTransport().WithTools<Tools>();
    await builder.Build().RunAsync();
}
else
{
    var builder = WebApplication.CreateSlimBuilder();
    builder.Logging.ClearProviders();
    builder.Services.AddMcpServer().WithHttpTransport().WithTools<Tools>();
    var app = builder.Build();
    app.MapMcp("/mcp");
    app.Lifetime.ApplicationStarted.Register(() => Console.WriteLine("ready"));
    app.Run($"http://127.0.0.1:{args[0]}");
}

[McpServerToolType]
internal sealed class Tools
{
    [McpServerTool(Name = "download"), Description("Returns text of a size.")]
    public static string Download(int size) => new('x', size);
}
