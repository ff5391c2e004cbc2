using System.Runtime.InteropServices;
using System.Text;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Wording;
using Spectre.Console;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Standard output and error. Where they are files or pipes, a full disk or a reader that is gone ends nothing in the middle of a
/// measurement; where they are a terminal, whatever is written is made printable on its way.
/// </summary>
internal static partial class StandardOutput
{
    private static GuardedStream? guarded;

    /// <summary>
    /// Why something that was written is not there, as one sentence; null when all of it is, or when its reader wanted no more.
    /// </summary>
    public static string? Failure => guarded?.Failure;

    /// <summary>Nobody will see what is written: the reader of the pipe is gone (<c>| head</c>; Linux), or writing has failed.</summary>
    public static bool IsGone => Failure is not null || IsClosed();

    /// <summary>
    /// Puts a stream that remembers failures, and throws none, behind the console's writers; before those of a terminal, the one way to
    /// it: <see cref="PrintableText"/>.
    /// </summary>
    public static void Guard()
    {
        var plain = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        Console.SetOut(Console.IsOutputRedirected
            ? new StreamWriter(guarded = new GuardedStream(Console.OpenStandardOutput()), plain) { AutoFlush = true }
            : new PrintableWriter(Console.Out));
        Console.SetError(Console.IsErrorRedirected
            ? new StreamWriter(new GuardedStream(Console.OpenStandardError()), plain) { AutoFlush = true }
            : new PrintableWriter(Console.Error));
    }

    // .NET takes no notice of a closed pipe when it writes to the console (ConsolePal.Unix.cs, Write: EPIPE), so the system is asked. On
    // Windows nobody tells before the run is over: what is written goes nowhere until then.
    private static unsafe bool IsClosed()
    {
        const short error = 8, hangUp = 16; // poll(2): POLLERR of a pipe without readers, POLLHUP of a terminal that is gone
        if (!OperatingSystem.IsLinux())
            return false;
        var asked = new PollFile { File = 1 };
        return Poll(&asked, 1, 0) > 0 && (asked.Answer & (error | hangUp)) != 0;
    }

    [LibraryImport("libc", EntryPoint = "poll")]
    private static unsafe partial int Poll(PollFile* files, nuint count, int milliseconds);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollFile
    {
        public int File;
        public short Wanted;
        public short Answer;
    }

    internal sealed class GuardedStream(Stream inner) : Stream
    {
        public string? Failure { get; private set; }

        public override bool CanRead => false;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            try
            {
                if (Failure is null)
                    inner.Write(buffer);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Failure = e.Message.ReplaceLineEndings(" ").Trim();
            }
        }

        public override void Flush()
        {
            // The console's streams keep nothing back.
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}

/// <summary>Writes what a terminal shows: this program's own colours and movements, and nothing else that steers it.</summary>
internal sealed class PrintableWriter(TextWriter terminal) : TextWriter(terminal.FormatProvider)
{
    public override Encoding Encoding => terminal.Encoding;

    public override void Write(char value) => Write(value.ToString());

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    public override void Write(string? value) => terminal.Write(PrintableText.OfScreen(value ?? ""));

    public override void WriteLine(string? value) => Write(value + NewLine);

    public override void Flush() => terminal.Flush();
}

/// <summary>What reads standard output.</summary>
/// <param name="IsTerminal">Somebody looks at it; else it is a file or a pipe.</param>
/// <param name="Width">Columns of the terminal.</param>
/// <param name="IsColoured">It understands colours, and nobody asked for none (NO_COLOR, TERM=dumb).</param>
internal sealed record Screen(bool IsTerminal, int Width = 80, bool IsColoured = false)
{
    private const int Narrowest = 40;

    public static Screen OfOutput()
    {
        if (Console.IsOutputRedirected)
            return new Screen(false);
        // On Windows this also switches the console's escape sequences on.
        var profile = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Out) }).Profile;
        return new Screen(true, Math.Max(Narrowest, profile.Width),
            profile.Capabilities is { Ansi: true } capabilities && capabilities.ColorSystem != ColorSystem.NoColors);
    }

    /// <summary>A sentence on standard error, in lines that break between words where that is a terminal.</summary>
    public static void Say(string sentence)
    {
        var width = Console.IsErrorRedirected ? (int?)null : Math.Max(Narrowest, Console.WindowWidth);
        // What a server wrote last stands below the sentence, a line each.
        var parts = PrintableText.Of(sentence).Split('\n');
        foreach (var line in parts.SelectMany((part, i) => TextWrapping.Lines(part.TrimStart(), width, i == 0 ? "" : "  ", "  ")))
            Console.Error.WriteLine(line);
    }

    /// <summary>How the report at the end of a run is laid out there: wherever it goes, it is short unless more was asked for.</summary>
    public TextLayout OfRun(bool verbose) => new(IsTerminal ? Width : null, IsColoured, IsBrief: !verbose);

    /// <summary>How a report is laid out there; a file gets all of it, in lines as long as they are.</summary>
    public TextLayout Layout(bool verbose) => IsTerminal ? new TextLayout(Width, IsColoured, IsBrief: !verbose) : new TextLayout();
}
