using System.Text;

namespace IpcBench.Client.Machine;

/// <summary>Writes UTF-8 while this program runs: a Windows console begins in a code page of its country, which has no <c>µ</c> or <c>█</c>.</summary>
internal sealed class ConsoleEncoding : IDisposable
{
    private readonly Encoding? before;

    private ConsoleEncoding(Encoding? before) => this.before = before;

    /// <summary>Until disposed: the code page belongs to the console and would outlive this process. Elsewhere it changes nothing.</summary>
    public static ConsoleEncoding Utf8()
    {
        if (!OperatingSystem.IsWindows())
            return new ConsoleEncoding(null);
        try
        {
            var before = Console.OutputEncoding;
            Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
            return new ConsoleEncoding(before);
        }
        catch (IOException)
        {
            // No console at all.
            return new ConsoleEncoding(null);
        }
    }

    public void Dispose()
    {
        if (before is not null)
            Console.OutputEncoding = before;
    }
}
