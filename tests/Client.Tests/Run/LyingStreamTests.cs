using System.Collections.Concurrent;
using Google.Protobuf;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Host;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.Run;

/// <summary>
/// Checks that no false answer of a server counts as a success, and that the run reports a failure, in every mode of
/// every client. A new mode of <see cref="CallMode.All"/> fails here until <see cref="Right"/> knows its right answers.
/// Each client has a class of its own, since classes run beside each other.
/// </summary>
public abstract class LyingStreamTests<T> : IDisposable
    where T : IClientUnderTest
{
    private const int Size = 10, Pulled = 40, AtOnce = 8, Connections = 8;

    private const string Called = IClientUnderTest.Called;

    private static string Client => T.Name;

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("lies-");

    /// <summary>What a server sends for a DATA frame. Null: the server closes the connection.</summary>
    private static readonly Dictionary<string, Func<Reply, byte[]?>> Lies = new()
    {
        ["http 503"] = right => right.After(Frames.Headers(right.Stream, false, (":status", "503"), ("content-type", "application/grpc"))),
        ["a page"] = right => right.After(Frames.Headers(right.Stream, false, (":status", "200"), ("content-type", "text/html"))),
        ["no content type"] = right => right.After(Frames.Headers(right.Stream, false, (":status", "200"))),
        ["no headers"] = right => right.After([]),
        ["malformed headers"] = right => right.After(Frames.Headers(right.Stream, false, (":status", "200"), ("Upper", "x"))),
        ["headers twice"] = right => right.After([.. right.Headers, .. right.Headers]),
        ["headers without end"] = right => right.After(
            [.. Frames.Frame(1, 0, right.Stream), .. Enumerable.Range(0, 200).SelectMany(_ => Frames.Frame(9, 0, right.Stream))]),
        ["headers that are cut"] = right => [.. Frames.Frame(1, 0, right.Stream), .. Frames.Data(right.Stream, right.Messages)],
        ["field block of nonsense"] = right => Frames.Frame(1, Frames.EndHeaders, right.Stream, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF),
        ["push promise"] = right => [.. right.Headers, .. Frames.Frame(5, Frames.EndHeaders, right.Stream, 0, 0, 0, 2)],
        ["another stream"] = right => right.After([.. right.Headers, .. Frames.Data(right.Stream + 100, right.Messages)]),
        ["compressed"] = right => [.. right.Headers, .. Frames.Data(right.Stream, [1, 0, 0, 0, 1, 5]), .. Frames.Trailers(right.Stream)],
        ["a message without end"] = right => [.. right.Headers, .. Frames.Data(right.Stream, [0, 0x7F, 0xFF, 0xFF, 0xFF, 26])],
        ["a message that is cut"] = right =>
            [.. right.Headers, .. Frames.Data(right.Stream, [0, 0, 0, 0, 9, 1]), .. Frames.Trailers(right.Stream)],
        ["no message"] = right => [.. right.Headers, .. Frames.Trailers(right.Stream)],
        ["status"] = right => [.. right.Headers, .. Frames.Trailers(right.Stream, 13)],
        ["reset"] = right => [.. right.Headers, .. Frames.Reset(right.Stream, 2)],
        ["refused"] = right => Frames.Reset(right.Stream, 7),
        ["window overflow"] = right =>
            [.. Frames.WindowUpdate(right.Stream, int.MaxValue), .. Frames.WindowUpdate(right.Stream, int.MaxValue)],
        ["window of all overflow"] = _ => [.. Frames.WindowUpdate(0, int.MaxValue), .. Frames.WindowUpdate(0, int.MaxValue)],
        ["goodbye"] = _ => Frames.GoAway(0),
        ["enhance your calm"] = right => Frames.GoAway(right.Stream, 11),
        ["a frame too long"] = right => [0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, (byte)right.Stream],
        ["close"] = _ => null,
        ["close inside"] = right => right.Number == 1 ? [.. right.Headers, .. Frames.Data(right.Stream, [0, 0, 0, 0, 9, 1])] : null,
        ["silence"] = _ => [],
    };

    /// <summary>What a server adds to a right answer. The right answer counts, and the addition does not.</summary>
    private static readonly Dictionary<string, Func<Reply, byte[]?>> Additions = new()
    {
        ["each message twice"] = right => right.After(
            [.. right.Headers, .. right.Messages.Length > 0 ? Frames.Data(right.Stream, right.Messages) : []]),
        ["the next answers"] = right => [.. right.All, .. Frames.Reply(right.Stream + 2, Size), .. Frames.Reply(right.Stream + 4, Size)],
        ["an end without status"] = right => [.. right.Headers, .. Frames.Data(right.Stream, right.Messages, end: true)],
        ["goodbye after it"] = right => [.. right.Unended, .. Frames.GoAway(0)],
        ["reset after it"] = right => [.. right.Unended, .. Frames.Reset(right.Stream, 2)],
    };

    /// <summary>The modes that the client knows.</summary>
    public static TheoryData<string> Modes => [.. CallMode.All.Where(mode => Client != Called || CallOf(mode) is not null)];

    /// <summary>
    /// The modes in which every call or message has its own answer. A stream of push has one answer, at its end, which a busy machine sends
    /// after the time-out. A stream of pull has no more messages after a fixed number, so its calls always time out.
    /// </summary>
    public static TheoryData<string> AnsweredModes =>
        [.. Modes.Select(row => row.Data).Where(mode => mode is not (CallMode.Pull or CallMode.Push))];

    public void Dispose() => folder.Delete(recursive: true);

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Correct_answers_are_counted(string mode)
    {
        // A busy machine sends the only answer of a pushed stream late. Only a pulled stream, which falls silent, must time out.
        var seen = await RunAsync(
            mode, Client, right => right.All, timeout: mode == CallMode.Pull ? "200ms" : "20s", window: ["-n", "20"]);
        // The server of a pulled stream sends its messages at once and then nothing. If the machine stalls, the run reports a time-out.
        var isSilent = mode == CallMode.Pull && seen.Failures is ["cut off"];
        Assert.True(isSilent || (seen.Code == ExitCode.Ok && seen.Failures.Count == 0), $"exit code {seen.Code}; {seen}");
        Assert.InRange(seen.Ok, isSilent ? 0 : 1, seen.Asked);
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task No_false_answer_counts_as_a_success_and_every_run_reports_a_failure(string mode)
    {
        var wrong = new ConcurrentBag<string>();
        // A stream of a user's own method may have any number of messages.
        var lies = Lies.Keys.Concat(Additions.Keys)
            .Where(lie => (mode, Client, lie) is not (CallMode.Pull, Called, "each message twice"));
        var together = new ParallelOptions { MaxDegreeOfParallelism = AtOnce, CancellationToken = TestContext.Current.CancellationToken };
        await Parallel.ForEachAsync(lies, together, async (lie, _) =>
        {
            if (await WrongAsync(mode, Client, lie) is { } why)
                wrong.Add($"{lie}: {why}");
        });
        Assert.True(wrong.IsEmpty, string.Join('\n', wrong.Order(StringComparer.Ordinal)));
    }

    /// <summary>Half of the connections stop answering after a few calls, and the others continue.</summary>
    [Theory]
    [MemberData(nameof(AnsweredModes))]
    public Task Hanging_calls_on_half_of_the_connections_are_counted_and_reported(string mode) =>
        TestLoad.InTheEndAsync(async () =>
    {
        var seen = await RunAsync(
            mode, Client, right => right.All, heard => heard.Frames + heard.Call > 16 && heard.Connection % 2 == 0, Connections);
        Assert.True(
            seen.Code == ExitCode.CallsFailed && seen.Ok > 0 && seen.Failures.Contains("cut off"), $"exit code {seen.Code}; {seen}");
        Assert.Contains(seen.Doubts, doubt => doubt.Contains("no answer in time", StringComparison.Ordinal));
    });

    /// <summary>Returns what is wrong with the outcome of a false answer. Null when the outcome is right.</summary>
    private async Task<string?> WrongAsync(string mode, string client, string lie)
    {
        var isWhole = Lies.TryGetValue(lie, out var say);
        Seen seen;
        try
        {
            // After an addition, only the second call fails. So the window must hold some calls.
            seen = await RunAsync(
                mode, client, say ?? Additions[lie], window: ["-d", isWhole ? "50ms" : "200ms"], least: isWhole ? 0 : 4);
        }
        catch (Exception e)
        {
            return $"the run ends with {e}";
        }
        var isTold = seen.Code == ExitCode.Environment ? seen.Sentences.Count > 0
            : seen.Code == ExitCode.CallsFailed && seen.Failures.Count > 0;
        return isTold && seen.Ok <= (isWhole ? 0 : seen.Asked) && (!isWhole || seen.Credited == 0)
            ? null : $"exit code {seen.Code}, {seen.Ok} successes of {seen.Asked}, {seen.Credited:0.##} credited, {seen}";
    }

    /// <summary>Whether a method of the mode takes and returns streams. Null when no method has the mode.</summary>
    private static (bool Takes, bool Returns)? CallOf(string mode)
    {
        foreach (var (takes, returns) in ((bool, bool)[])[(false, false), (true, false), (false, true), (true, true)])
        {
            var call = new GrpcCall { Method = "a.B/C", TakesStream = takes, ReturnsStream = returns, Messages = [[]], Corpus = "" };
            if (CallMode.For(call) == mode)
                return (takes, returns);
        }
        return null;
    }

    /// <summary>The messages of a right answer, the number of calls that they end, and whether the stream ends with them.</summary>
    private static (byte[] Messages, int Answers, bool Ends) Right(string mode, Heard heard)
    {
        byte[] received = Frames.Prefixed(new Received { Bytes = Size }.ToByteArray());
        switch (mode)
        {
            case CallMode.Unary:
                return (heard.Ends ? Frames.Message(Size) : [], heard.Ends ? 1 : 0, heard.Ends);
            case CallMode.Upload:
                return (heard.Ends ? received : [], heard.Ends ? 1 : 0, heard.Ends);
            case CallMode.PingPong:
                return ([.. heard.Last.SelectMany(message => message)], heard.Last.Count, heard.Ends);
            case CallMode.Push:
                return (heard.Ends ? StreamScript.Told(heard.Messages, 1, Size) : [], heard.Last.Count, heard.Ends);
            case CallMode.Pull:
                var numbered = Enumerable.Range(0, heard.Ends ? Pulled : 0);
                return ([.. numbered.SelectMany(number => StreamScript.Message((uint)number, 1, Size))], heard.Ends ? Pulled : 0, false);
            default:
                throw new ArgumentException($"what a right answer is in mode {mode} is not said here", nameof(mode));
        }
    }

    /// <summary>
    /// Makes one run. Repeats the run if none of its load reached the server, and if all went well with fewer calls than the given number:
    /// both may happen on a busy machine.
    /// </summary>
    private async Task<Seen> RunAsync(
        string mode, string client, Func<Reply, byte[]?> say, Func<Heard, bool>? hangs = null, int connections = 1,
        string timeout = "200ms", string[]? window = null, int least = 0)
    {
        Seen seen = null!;
        await TestLoad.InTheEndAsync(async () =>
        {
            seen = await RunOnceAsync(mode, client, say, hangs, connections, timeout, window ?? ["-d", "150ms"]);
            Assert.True(seen.Code != ExitCode.Ok || seen.Started >= least, $"only {seen.Started} calls");
        });
        return seen;
    }

    private async Task<Seen> RunOnceAsync(
        string mode, string client, Func<Reply, byte[]?> say, Func<Heard, bool>? hangs, int connections, string timeout, string[] window)
    {
        var (asked, called) = (0, client == Called);
        var truth = true;
        await using var server = new FakeServer();
        server.Hears = heard =>
        {
            // Before the run the client asks whether the server is this tool's (no) and knows the method (yes).
            if (heard.Call == (called ? 2 : 1))
                return heard.Ends ? Frames.Headers(heard.Stream, true, (":status", "200"), ("grpc-status", "12")) : [];
            var (messages, answers, ends) = Right(mode, heard);
            var right = new Reply(heard.Stream, heard.Frames, heard.Frames == 1, messages, ends || heard.Call <= 2 && heard.Ends);
            if (heard.Call <= 2)
                return right.All;
            truth = false;
            Interlocked.Add(ref asked, answers);
            return hangs?.Invoke(heard) == true ? [] : say(right);
        };
        var (sentences, record) = (new List<string>(), (RunRecord?)null);
        var code = ExitCode.Environment;
        try
        {
            var observer = new NoObserver { Noted = sentences.Add, Ended = ended => record = ended };
            code = await new RunSession(OptionsOf(mode, client, server, connections, timeout, window), [], observer).RunAsync().WaitAsync(
                TestLoad.Patience, TestContext.Current.CancellationToken);
        }
        catch (EnvironmentException e)
        {
            sentences.Add(e.Message);
        }
        Assert.False(truth, $"the load did not begin: {string.Join("; ", sentences)}");
        var rounds = record?.Rounds ?? [];
        return new Seen(
            code, asked, rounds.Sum(round => round.Started), rounds.Sum(round => round.Ok), rounds.Sum(round => round.Credited ?? 0),
            sentences,
            [.. record is null ? [] : Doubt.Find(new MeasuredRun(record)).Select(advice => advice.Doubt)],
            [
                .. rounds.SelectMany(round => round.Failed.Keys),
                .. rounds.Any(round => round.CutOff > 0) ? ["cut off"] : Array.Empty<string>(),
            ]);
    }

    private RunOptions OptionsOf(
        string mode, string client, FakeServer server, int connections, string timeout, string[] window)
    {
        string[] common =
        [
            "-U", $"{server.Address}", "-c", $"{connections}", "-r", "1", .. window, "--warmup", "1ms", "--timeout", timeout, "--no-save",
        ];
        if (client != Called)
            return Typed.Read(Preset.Main, [.. common, "--mode", mode, "--client", client, "-s", $"{Size}"]);
        var (takes, returns) = CallOf(mode)!.Value;
        var proto = Path.Combine(folder.FullName, $"{Guid.NewGuid():N}.proto");
        File.WriteAllText(proto, "syntax = \"proto3\"; package a; message M { bytes b = 1; } service B { rpc C ("
            + $"{(takes ? "stream " : "")}M) returns ({(returns ? "stream " : "")}M); }}");
        return Typed.ReadCall([.. common, "--call", "a.B/C", "--proto", proto, "--data", "{}"]);
    }

    /// <summary>The outcome of a run.</summary>
    private sealed record Seen(
        int Code, int Asked, long Started, long Ok, double Credited, List<string> Sentences, List<string> Doubts, List<string> Failures)
    {
        public override string ToString() =>
            $"failures: {string.Join(", ", Failures)}; said: {string.Join("; ", Sentences.Concat(Doubts))}";
    }

    /// <summary>A right answer to one DATA frame, in its parts.</summary>
    private sealed record Reply(int Stream, int Number, bool IsFirst, byte[] Messages, bool Ends)
    {
        public byte[] Headers => IsFirst ? Frames.ResponseHeaders(Stream) : [];

        public byte[] Unended => [.. Headers, .. Messages.Length > 0 ? Frames.Data(Stream, Messages) : []];

        public byte[] All => After(Headers);

        /// <summary>The rest of the answer, after the given headers.</summary>
        public byte[] After(byte[] headers) =>
        [
            .. headers, .. Messages.Length > 0 ? Frames.Data(Stream, Messages) : [], .. Ends ? Frames.Trailers(Stream) : [],
        ];
    }
}

public interface IClientUnderTest
{
    /// <summary>A further client: --call, with a user's own method, whose messages are sent unchanged.</summary>
    const string Called = "call";

    static abstract string Name { get; }
}

public sealed class LyingStreamWireTests : LyingStreamTests<LyingStreamWireTests>, IClientUnderTest
{
    public static string Name => ProtocolTable.Wire;
}

public sealed class LyingStreamGrpcDotnetTests : LyingStreamTests<LyingStreamGrpcDotnetTests>, IClientUnderTest
{
    public static string Name => ProtocolTable.GrpcDotnet;
}

public sealed class LyingStreamCallTests : LyingStreamTests<LyingStreamCallTests>, IClientUnderTest
{
    public static string Name => IClientUnderTest.Called;
}
