using System.Runtime.InteropServices;
using System.Text;
using IpcBench.Analysis.Wording;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Guards standard output and standard error. If they are files or pipes, a full disk or a missing reader does not end
/// a measurement. If they are terminals, only text that is safe to print reaches them.
/// </summary>
internal static partial class StandardOutput
{
    private static GuardedStream? guarded;

    /// <summary>Why some output was lost, as a sentence. Null when nothing was lost or the reader closed the pipe.</summary>
    public static string? Failure => guarded?.Failure;

    /// <summary>
    /// True when nobody can read the output. Either the reader of the pipe has ended, as with <c>| head</c> (this is
    /// known only on Linux), or writing has failed.
    /// </summary>
    public static bool IsGone => Failure is not null || IsClosed();

    /// <summary>
    /// Replaces the writers of standard output and standard error. A file or pipe gets a stream that does not throw, but keeps
    /// the first failure. A terminal gets a writer that uses <see cref="PrintableText"/>.
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

    // .NET ignores a closed pipe when it writes to the console (ConsolePal.Unix.cs, Write: EPIPE), so this method calls
    // poll(2). Windows does not report a closed pipe before the end of the run, so the output until then is lost.
    private static unsafe bool IsClosed()
    {
        const short error = 8, hangUp = 16; // poll(2): POLLERR for a pipe without readers, POLLHUP for a closed terminal
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
            // The console's streams do not buffer.
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}

/// <summary>Writes text to a terminal without escape sequences, except for this program's own.</summary>
internal sealed class PrintableWriter(TextWriter terminal) : TextWriter(terminal.FormatProvider)
{
    public override Encoding Encoding => terminal.Encoding;

    public override void Write(char value) => Write(value.ToString());

    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    public override void Write(string? value) => Try(() => terminal.Write(PrintableText.OfScreen(value ?? "")));

    public override void WriteLine(string? value) => Write(value + NewLine);

    public override void Flush() => Try(terminal.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (IOException)
        {
            // The terminal is closed (EIO). The run ends by SIGHUP and keeps its measurements.
        }
    }
}
