using System.IO.Pipes;
using System.Runtime.Versioning;
using IpcBench.Server.Options;
using Microsoft.AspNetCore.Server.Kestrel.Transport.NamedPipes;

namespace IpcBench.Server.Hosting;

/// <summary>Settings of Kestrel's named-pipe transport.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsPipes
{
    public static void Configure(WebApplicationBuilder builder, ServerOptions options) => builder.WebHost.UseNamedPipes(pipes =>
    {
        pipes.CurrentUserOnly = true;
        pipes.MaxReadBufferSize = KestrelLimits.MostUnread;
        if (options.PipeListeners is { } listeners)
            pipes.ListenerQueueCount = listeners;
        // Kestrel asks for kernel buffers of no bytes, so that every write waits for its reader.
        if (options.PipeBuffer is { } size)
            pipes.CreateNamedPipeServerStream = context => Create(context, size);
    });

    private static NamedPipeServerStream Create(CreateNamedPipeServerStreamContext context, int size) => new(
        context.NamedPipeEndPoint.PipeName,
        PipeDirection.InOut,
        NamedPipeServerStream.MaxAllowedServerInstances,
        PipeTransmissionMode.Byte,
        context.PipeOptions,
        inBufferSize: size,
        outBufferSize: size);
}
