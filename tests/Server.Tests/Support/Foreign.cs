using System.Diagnostics;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>Programs written by others; .ci/install-foreign installs them.</summary>
internal static class Foreign
{
    public const string Python = "/usr/bin/python3";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Runs a program to its end and returns what it printed; null when it is not installed.</summary>
    public static async Task<(int ExitCode, string Output)?> RunAsync(string program, string[] arguments, string? nodePath = null)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (nodePath is not null)
            start.Environment["NODE_PATH"] = nodePath;
        try
        {
            using var process = Process.Start(start)!;
            var output = process.StandardOutput.ReadToEndAsync();
            var error = process.StandardError.ReadToEndAsync();
            try
            {
                await process.WaitForExitAsync().WaitAsync(Patience);
            }
            finally
            {
                if (!process.HasExited)
                    process.Kill();
            }
            return (process.ExitCode, await output + await error);
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    /// <summary>Returns the address as gRPC libraries write it, and the certificate's file (<c>-</c> without TLS).</summary>
    public static async Task<(string Target, string Ca)> TargetAsync(Address address) => address switch
    {
        Address.Tcp tcp => ($"localhost:{tcp.Port}", "-"),
        Address.Tls tls => ($"localhost:{tls.Port}", await SaveCertificateAsync(tls)),
        Address.Unix unix => ("unix:" + unix.Path, "-"),
        Address.UnixAbstract local => ("unix-abstract:" + local.Name, "-"),
        // On Unix, .NET's pipe is a Unix socket, which any client can use.
        Address.Pipe pipe => ("unix:" + NamedPipeConnector.UnixSocketPath(pipe.Name), "-"),
        _ => throw new ArgumentException(address.ToString()),
    };

    private static async Task<string> SaveCertificateAsync(Address.Tls address)
    {
        using var tcp = new TcpClient();
        await tcp.ConnectAsync(address.Host, address.Port).WaitAsync(Limits.Wait);
        await using var tls = new SslStream(tcp.GetStream(), false, (_, _, _, _) => true);
        await tls.AuthenticateAsClientAsync(address.Host).WaitAsync(Limits.Wait);
        using var certificate = new X509Certificate2(tls.RemoteCertificate!);
        var file = Path.Combine(Path.GetTempPath(), $"gb-{Guid.NewGuid():N}.pem");
        await File.WriteAllTextAsync(file, certificate.ExportCertificatePem());
        return file;
    }
}
