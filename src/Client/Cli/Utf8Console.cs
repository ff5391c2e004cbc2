using System.Text;

namespace IpcBench.Client.Cli;

/// <summary>
/// Makes standard output and error UTF-8 while this program runs: a Windows console begins in the code page of its country, which has no
/// <c>µ</c> or <c>█</c>.
/// </summary>
internal sealed class Utf8Console : IDisposable
{
    private readonly Encoding? before;

    private Utf8Console(Encoding? before) => this.before = before;

    /// <summary>Until disposed: on Windows the code page belongs to the console and would outlive this process.</summary>
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
            // No console at all: what is written is redirected, and .NET then writes UTF-8 or nothing that this could help.
            return new Utf8Console(null);
        }
    }

    public void Dispose()
    {
        if (before is not null)
            Console.OutputEncoding = before;
    }
}
