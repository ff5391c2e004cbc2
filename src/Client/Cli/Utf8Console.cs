using System.Text;

namespace IpcBench.Client.Cli;

/// <summary>Makes standard output and error UTF-8 everywhere: a Windows console starts with the code page of its language, which has no µ.</summary>
internal static class Utf8Console
{
    public static void Enable()
    {
        try
        {
            Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        }
        catch (IOException)
        {
            // No console at all: what is written is redirected, and .NET then writes UTF-8 or nothing that this could help.
        }
    }
}
