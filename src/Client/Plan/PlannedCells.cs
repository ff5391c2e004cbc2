using System.Globalization;
using System.Security.Cryptography;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>Makes the cells of a plan: the target, the load and the record of each cell.</summary>
internal static class PlannedCells
{
    /// <summary>The time to start of a server that is a program. A program that is compiled when it starts takes several seconds.</summary>
    public static readonly TimeSpan StartOfChild = TimeSpan.FromSeconds(60);

    /// <summary>Makes a cell for each combination of the compared values (load, size, target, client, mode, …), in report order.</summary>
    public static IEnumerable<PlannedCell> For(RunOptions options, IReadOnlyList<Target> targets) =>
        from given in options.Loads.Prepend(null)
        from cells in options.Sets
        from size in Sizes(cells, targets)
        from target in targets
        where cells.HasPipe || target.Address.Kind != "pipe"
        from client in cells.Clients
        from mode in target.Call is { } call ? [CallMode.For(call)] : options.Modes
        where !IsLeftOut(options, client, mode)
        from chunk in mode == CallMode.Pull && target.Call is null ? options.Chunks : [0]
        from perCall in options.ConnectPerCall
        select Make(options, target, (client, mode, chunk, perCall), size, cells.Topology, given);

    /// <summary>True when the client of a shape cannot measure a method of <c>--call</c>: only wire measures streaming methods.</summary>
    private static bool IsLeftOut(RunOptions options, string client, string mode) =>
        options.Call is not null && mode != CallMode.Unary && options.Shapes.Count > 0 && client != ProtocolTable.Wire;

    /// <summary>
    /// Returns the sizes of the cells. All HTTP/1.1 arms are compared at one size: the size of their largest first reply.
    /// All arms with a tool are compared at the size of the longest first text. For a method of <c>--call</c>, the size is the
    /// mean size of the requests.
    /// </summary>
    private static IReadOnlyList<long> Sizes(CellSet cells, IReadOnlyList<Target> targets)
    {
        if (targets.Any(target => target.Tool is not null))
            return [targets.Max(target => target.ReplySize ?? 0)];
        if (targets.Any(target => target.Request is not null))
            return [targets.Max(target => target.Request?.Size ?? 0)];
        return targets is [{ Call: { } call }, ..] ? [call.Size] : cells.Sizes;
    }

    private static PlannedCell Make(
        RunOptions options, Target target, (string Client, string Mode, long Chunk, bool PerCall) how, long size, Topology topology,
        GivenLoad? given)
    {
        var messages = CallMode.IsStream(how.Mode) ? options.Messages : 0;
        string[] variant = [target.Variant.Name, target.Mark, how.PerCall ? "connect-per-call" : "",
            messages > 0 ? string.Create(CultureInfo.InvariantCulture, $"messages={messages}") : "",
            how.Chunk > 0 ? string.Create(CultureInfo.InvariantCulture, $"chunk={how.Chunk}") : ""];
        var key = new CellKey
        {
            Transport = target.Address.Kind,
            Protocol = target.Protocol,
            Client = how.Client,
            Mode = how.Mode == CallMode.Unary ? "" : how.Mode,
            Method = target.Call?.Method ?? target.Tool?.Name ?? "",
            Corpus = target.Call?.Corpus[..12] ?? target.Tool?.Hash ?? HashOf(target.Request?.Body),
            Size = size,
            Connections = topology.Connections,
            Streams = topology.Streams,
            Load = LoadName(given, options.Rate),
            Variant = string.Join(' ', variant.Where(part => part.Length > 0)),
        };
        var load = new LoadOptions
        {
            Address = target.Address,
            Size = target.Request?.Size ?? target.ReplySize ?? size,
            Request = target.Request,
            Call = target.Call,
            Tool = target.Tool,
            Connections = topology.Connections,
            Streams = topology.Streams,
            Threads = Math.Min(options.Threads, topology.Connections),
            Timeout = target.Call?.Deadline is { } deadline && deadline < options.Timeout ? deadline : options.Timeout,
            ConnectDeadline = target.Address is Address.Child ? StartOfChild : EngineOptions.UsualDeadline,
            Connector = target.Variant.Knobs.Connector(options.Connector),
            OnLoops = target.Variant.Knobs.ClientSockets == "loop",
            Http2Window = target.Variant.Knobs.Http2Window,
            Client = how.Client,
            Protocol = target.Protocol,
            Mode = how.Mode,
            Messages = messages,
            Chunk = how.Chunk,
            ConnectPerCall = how.PerCall,
        };
        string[] notes =
        [
            target.Note,
            load.OnLoops && target.Address is Address.Pipe ? "System.Net.Sockets here, because .NET's pipe API opens the pipe" : "",
            target.Call is null || load.Flow == Flow.Both ? ""
                : "no latency, because the one-way messages of this method have no time stamp",
        ];
        var record = new Cell
        {
            Key = key,
            // The command of a server with a tool was redacted when its address was made (McpServer).
            Address = target.Request?.Url
                ?? (target.Tool is null ? Redaction.Server(target.Address.ToString()) : target.Address.ToString()),
            Note = string.Join("; ", notes.Where(note => note.Length > 0)),
        };
        return new PlannedCell(0, record, target, load, given);
    }

    private static string HashOf(byte[]? body) => body is null ? "" : Convert.ToHexStringLower(SHA256.HashData(body))[..12];

    private static string LoadName(GivenLoad? given, double? rate) => given?.Name
        ?? (rate is { } perSecond ? string.Create(CultureInfo.InvariantCulture, $"{perSecond:0.##########}/s") : CellKey.FullLoad);
}
