using System.Text;

namespace IpcBench.Client.Cli;

/// <summary>
/// Makes standard output and error UTF-8 while this program runs. A Windows console starts in a national code page,
/// which has no <c>µ</c> or <c>█</c>.
/// </summary>
internal sealed class Utf8Console : IDisposable
{
    private readonly Encoding? before;

    private Utf8Console(Encoding? before) => this.before = before;

    /// <summary>
    /// Switches to UTF-8 until the returned object is disposed. Without the disposal, a Windows console would stay at UTF-8.
    /// </summary>
    public static Utf8Console Enable()
    {
        try
        {
            var before = OperatingSystem.IsWindows() ? Console.OutputEncoding : null;
            Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
            return new Utf8Console(before);
        }
        catch (IOException)
        {
            // There is no console, since output is redirected. .NET then writes UTF-8 by default.
            return new Utf8Console(null);
        }
    }

    public void Dispose()
    {
        if (before is not null)
            Console.OutputEncoding = before;
    }
}
