using Google.Protobuf.Reflection;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Schema;
using IpcBench.Schema.Json;
using IpcBench.Schema.Requests;
using IpcBench.Schema.Types;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Prepares the calls of the user's method, which replaces <c>Bench.Download</c>. Encodes the requests, and tries a
/// call to each server before the plan is made.
/// </summary>
internal static class CallTargets
{
    private const int NotFound = 404;

    // One call may fail by chance, so a failed call is tried again.
    private const int Tries = 3;

    private static readonly TimeSpan Least = TimeSpan.FromSeconds(5);

    /// <summary>Returns the targets with the encoded call, and with the size of the first reply of each target's server.</summary>
    /// <exception cref="UsageException">An option does not fit a method of this kind.</exception>
    /// <exception cref="InputException">A request, a file or the expected reply is unusable.</exception>
    /// <exception cref="SchemaException">The types are not available.</exception>
    /// <exception cref="EnvironmentException">A server does not answer, or rejects the call.</exception>
    public static async Task<IReadOnlyList<Target>> PrepareAsync(
        RunOptions options, IReadOnlyList<Target> targets, CancellationToken cancellation)
    {
        var asked = options.Call!;
        var source = asked.Types with { Server = targets[0].Address, Connector = options.Connector };
        var call = await EncodeAsync(asked, source, cancellation);
        if (StreamCheck.Wrong(options, call) is { } sentence)
            throw new UsageException(sentence);
        var replies = new Dictionary<Address, long?>();
        foreach (var address in targets.Select(target => target.Address).Distinct())
            replies[address] = await AskAsync(call, source with { Server = address }, options.Timeout, cancellation);
        return [.. targets.Select(target => target with { Call = call, ReplySize = replies[target.Address] ?? 0 })];
    }

    private static async Task<GrpcCall> EncodeAsync(AskedCall asked, TypeSource source, CancellationToken cancellation)
    {
        var (method, types) = asked.NeedsTypes || source.IsFile
            ? await ServiceTypes.OfMethodAsync(source, asked.Method, cancellation) : (null, null);
        // A read of standard input may never end, so it runs in a task, which Ctrl-C can abandon.
        var corpus = await Task.Run(() => Requests(asked, method?.InputType, types), cancellation).WaitAsync(cancellation);
        return new GrpcCall
        {
            Method = asked.Method,
            TakesStream = method?.IsClientStreaming ?? false,
            ReturnsStream = method?.IsServerStreaming ?? false,
            Messages = corpus.Messages,
            Corpus = corpus.Hash,
            Metadata = [.. asked.Types.Metadata.Select(entry => (entry.Name, entry.Value))],
            Authority = asked.Authority,
            Deadline = asked.Deadline,
            Expect = asked.Expect is null ? null : Expected(asked.Expect, method!.OutputType, types!),
        };
    }

    private static Corpus Requests(AskedCall asked, MessageDescriptor? type, MethodTypes? types)
    {
        var limits = new CorpusLimits();
        return asked.Binary is { } file
            ? Corpus.OfBinary(file, limits, Console.OpenStandardInput)
            : Named("--data", isFile: asked.Data is ['@', ..] or "-",
                () => Corpus.OfJson(asked.Data ?? "{}", type!, types!, limits, Console.OpenStandardInput));
    }

    private static Func<byte[], string?> Expected(string json, MessageDescriptor type, MethodTypes types)
    {
        var expectation = Named("--expect", isFile: false, () => new Expectation(type, json, types));
        return reply =>
        {
            try
            {
                return expectation.FirstDifference(reply);
            }
            catch (SchemaException e)
            {
                return e.Message;
            }
        };
    }

    /// <summary>Adds the option's name to an error in the option's text. An error in a file already names the file.</summary>
    private static T Named<T>(string option, bool isFile, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (InputException e) when (!isFile)
        {
            throw new InputException($"{option}: {e.Message}", e);
        }
    }

    /// <summary>Returns the size of the first reply in bytes. Null when the call failed but a later call may succeed.</summary>
    private static async Task<long?> AskAsync(GrpcCall call, TypeSource server, TimeSpan timeout, CancellationToken cancellation)
    {
        using var caller = new GrpcCaller(server.Server!, server.Connector, call) { Patience = Longest(timeout) };
        var answers = new List<GrpcAnswer>();
        try
        {
            do
                answers.Add(await caller.CallAsync(call.Path, call.Messages[0], cancellation, firstAlone: call.ReturnsStream));
            while (answers is [.., { Status: not GrpcStatusCode.Ok and not GrpcStatusCode.Unimplemented }] && answers.Count < Tries);
        }
        catch (IOException e)
        {
            throw new EnvironmentException(GrpcCaller.Advised(e, ". Is a gRPC server running there?"), e);
        }
        if (Refusal(call, answers) is { } sentence)
            throw new EnvironmentException($"{server.Server} {sentence}");
        return answers[^1] is { Status: GrpcStatusCode.Ok, Message: { } reply } ? reply.Length : null;
    }

    // The first call to a server that has just started takes longer than later calls, so it may need more than the run's time-out.
    private static TimeSpan Longest(TimeSpan timeout) => timeout > Least ? timeout : Least;

    /// <summary>Returns an error message without its beginning, which is the server's address. Null when the run may begin.</summary>
    private static string? Refusal(GrpcCall call, List<GrpcAnswer> answers)
    {
        var last = answers[^1];
        if (last is { HttpStatus: NotFound } or { Status: GrpcStatusCode.Unimplemented })
            return $"answers, but does not know {call.Method} ({Said(call, last.StatusText)}): --list shows the server's methods";
        if (last is { HttpStatus: not 200 } or { Status: null })
            return $"does not answer {call.Method} in gRPC ({Said(call, last.StatusText)}): is it a gRPC server?";
        if (last.Status is GrpcStatusCode.Ok)
        {
            if (last.Message is not { } reply)
                return $"answers {call.Method} with OK but without a readable message (no message, or a compressed one)";
            return call.Expect?.Invoke(reply.ToArray()) is { } difference
                ? $"answers {call.Method} with a reply that differs from --expect: {Said(call, difference)}"
                : null;
        }
        // The run still begins if the tries failed in different ways, or if overload can cause the failure. The measurement
        // then shows how often calls fail.
        var isSure = answers.Count == Tries && answers.TrueForAll(answer => answer.Status == last.Status)
            && last.Status is not (GrpcStatusCode.Unavailable or GrpcStatusCode.DeadlineExceeded);
        return isSure
            ? $"answers {call.Method} with {Said(call, last.StatusText)}: "
                + "check the request (--data, -H), because only calls that end with OK are measured"
            : null;
    }

    private static string Said(GrpcCall call, string text) => ServerWords.OneLine(text, call.Secrets);
}
