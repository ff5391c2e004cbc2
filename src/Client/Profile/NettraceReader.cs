using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;

namespace IpcBench.Client.Profile;

/// <summary>
/// Reads the events of a .NET runtime's trace in the format nettrace, version 4 (microsoft/perfview,
/// src/TraceEvent/EventPipe/EventPipeFormat.md). The package TraceEvent reads these traces too, but is larger than the whole client.
/// </summary>
internal static class NettraceReader
{
    private const byte NullReference = 1, BeginObject = 5;

    // The flags of an event's header. A header repeats only the members that differ from those of the event before.
    private const byte HasKind = 1, HasSequence = 2, HasThread = 4, HasStack = 8, HasActivity = 16, HasRelated = 32, HasLength = 128;

    private const int ActivityLength = 16;

    private delegate void Found(int kind, long thread, int stack, long timestamp, ReadOnlyMemory<byte> payload);

    /// <summary>An event of the trace. In the list of kinds, only provider and id have a value.</summary>
    /// <param name="Thread">The thread of the event, by the number that the system has for the thread.</param>
    /// <param name="Timestamp">In ticks of <see cref="Stopwatch"/>.</param>
    /// <param name="Stack">The addresses of the stack, the innermost first.</param>
    internal sealed record Event(string Provider, int Id, long Thread, long Timestamp, long[] Stack, ReadOnlyMemory<byte> Payload);

    /// <summary>
    /// Lists the events in the order of the trace. Empty when the trace has no end, because the names of methods come last: without
    /// names, nothing distinguishes a thread that works from a thread that waits.
    /// </summary>
    /// <exception cref="InvalidDataException">The bytes are not a trace of this version.</exception>
    public static IReadOnlyList<Event> Read(ReadOnlyMemory<byte> trace)
    {
        var (events, kinds, stacks) = (new List<Event>(), new Dictionary<int, Event>(), new Dictionary<int, long[]>());
        try
        {
            var all = new Cursor(trace);
            if (!all.Take("Nettrace".Length).Span.SequenceEqual("Nettrace"u8) || all.Text() != "!FastSerialization.1")
                throw new InvalidDataException("the runtime sent no trace");
            byte tag;
            while ((tag = all.Byte()) == BeginObject)
            {
                all.Take(2 + 2 * sizeof(int)); // the tags of the object's type, its version and the oldest version that can read it
                var type = all.Text();
                all.Byte();
                if (type == "Trace")
                {
                    all.Take(24); // date and clock
                    if (all.Int64() != Stopwatch.Frequency || all.Int32() != sizeof(ulong))
                        throw new InvalidDataException("the traced process has another clock, or is not a process of 64 bits");
                    all.Take(3 * sizeof(int));
                }
                else
                {
                    var length = all.Int32();
                    all.Align();
                    ReadBlock(type, new Cursor(all.Take(length)), events, kinds, stacks);
                }
                all.Byte();
            }
            return tag == NullReference ? events : throw new InvalidDataException("the trace has an object of an unknown form");
        }
        catch (ArgumentOutOfRangeException)
        {
            return []; // the process ended while it was traced
        }
    }

    private static void ReadBlock(string type, Cursor block, List<Event> events,
        Dictionary<int, Event> kinds, Dictionary<int, long[]> stacks)
    {
        switch (type)
        {
            case "StackBlock":
                var first = block.Int32();
                var count = block.Int32();
                for (var id = first; id - first < count; id++)
                    stacks[id] = MemoryMarshal.Cast<byte, long>(block.Take(block.Int32()).Span).ToArray();
                break;
            case "MetadataBlock":
                ReadEvents(block, (_, _, _, _, payload) =>
                {
                    var kind = new Cursor(payload);
                    var number = kind.Int32();
                    kinds[number] = new(kind.Utf16(), kind.Int32(), 0, 0, [], default);
                });
                break;
            case "EventBlock":
                ReadEvents(block, (kind, thread, stack, timestamp, payload) =>
                {
                    if (kinds.TryGetValue(kind, out var known))
                        events.Add(new(known.Provider, known.Id, thread, timestamp, stacks.GetValueOrDefault(stack) ?? [], payload));
                });
                break;
        }
    }

    private static void ReadEvents(Cursor block, Found found)
    {
        var header = block.Int16();
        if ((block.Int16() & 1) == 0)
            throw new InvalidDataException("the trace has headers of an unknown form");
        block.Take(header - 2 * sizeof(short));
        var (kind, thread, stack, timestamp, length) = (0, 0L, 0, 0L, 0);
        while (!block.IsAtEnd)
        {
            var flags = block.Byte();
            if ((flags & HasKind) != 0)
                kind = (int)block.Variable() & 0x7fff_ffff; // the highest bit of a kind says that the events are not sorted
            if ((flags & HasSequence) != 0)
            {
                block.Variable();
                block.Variable();
                block.Variable();
            }
            if ((flags & HasThread) != 0)
                thread = (long)block.Variable();
            if ((flags & HasStack) != 0)
                stack = (int)block.Variable();
            timestamp += (long)block.Variable();
            if ((flags & HasActivity) != 0)
                block.Take(ActivityLength);
            if ((flags & HasRelated) != 0)
                block.Take(ActivityLength);
            if ((flags & HasLength) != 0)
                length = (int)block.Variable();
            found(kind, thread, stack, timestamp, block.Take(length));
        }
    }

    /// <summary>
    /// Reads values one after the other. Throws <see cref="ArgumentOutOfRangeException"/> when there are not enough bytes.
    /// </summary>
    internal sealed class Cursor(ReadOnlyMemory<byte> bytes)
    {
        private int position;

        public bool IsAtEnd => position >= bytes.Length;

        public ReadOnlyMemory<byte> Take(int length)
        {
            var taken = bytes.Slice(position, length);
            position += length;
            return taken;
        }

        public byte Byte() => Take(1).Span[0];

        public short Int16() => BinaryPrimitives.ReadInt16LittleEndian(Take(sizeof(short)).Span);

        public int Int32() => BinaryPrimitives.ReadInt32LittleEndian(Take(sizeof(int)).Span);

        public long Int64() => BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long)).Span);

        /// <summary>Reads an integer of seven bits a byte, the lowest first. The highest bit of a byte says that more follow.</summary>
        public ulong Variable()
        {
            var value = 0UL;
            for (var shift = 0; shift < 64; shift += 7)
            {
                var part = Byte();
                value |= (ulong)(part & 0x7f) << shift;
                if (part < 0x80)
                    break;
            }
            return value;
        }

        /// <summary>Reads a text of one byte a character, after its length.</summary>
        public string Text() => Encoding.Latin1.GetString(Take(Int32()).Span);

        /// <summary>Reads a text that ends with a zero.</summary>
        public string Utf16()
        {
            var text = new StringBuilder();
            while (Int16() is var character and not 0)
                text.Append((char)(ushort)character);
            return text.ToString();
        }

        /// <summary>Goes on to the next multiple of four.</summary>
        public void Align() => position = (position + 3) & ~3;
    }
}
