using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Experiments.Mcp;

/// <summary>Reads the servers of <c>mcp</c>: <c>[NAME=]stdio:COMMAND</c>, <c>[NAME=]http://…</c>, or an address.</summary>
internal static class McpServer
{
    /// <summary>Returns the arms, with numbers for servers without a name.</summary>
    /// <exception cref="UsageException">A text is no server, or two servers have the same name.</exception>
    public static IReadOnlyList<ToolArm> All(IEnumerable<string> texts, IReadOnlyList<string> command)
    {
        var arms = texts.Select(Parse).ToList();
        if (command.Count > 0)
            arms.Add(OfCommand("", command));
        if (arms.Count == 0)
        {
            throw new UsageException(
                "mcp needs a server, as in GrpcBench mcp -- node server.js, or GrpcBench mcp http://localhost:3000/mcp");
        }
        var names = ArmNumbers.NamesOf([.. arms.Select(arm => (arm.Name, arm.Address, arm.Path))]);
        return [.. arms.Zip(names, (arm, name) => arm with { Name = name })];
    }

    private static ToolArm Parse(string text)
    {
        var sign = text.IndexOf('=', StringComparison.Ordinal);
        var isNamed = sign > 0 && text[..sign].All(letter => char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.');
        var (name, server) = isNamed ? (text[..sign], text[(sign + 1)..]) : ("", text);
        if (Address.Child.CommandIn(server) is { } command)
            return OfCommand(name, Parsers.Words(command, "stdio:"));
        if (Uri.TryCreate(server, UriKind.Absolute, out var uri) && uri.Scheme is "http" or "https" && uri.Host.Length > 0)
        {
            if (uri.UserInfo.Length > 0)
                throw new UsageException($"'{UrlText.WithoutSecrets(server)}' contains a user name, which is not supported");
            return new ToolArm(name, Parsers.Address(uri.GetLeftPart(UriPartial.Authority)), Path: uri.PathAndQuery);
        }
        if (!Address.TryParse(server, out var address, out _) || address is Address.Child)
        {
            throw new UsageException($"'{UrlText.WithoutSecrets(server)}' is no server: write stdio:COMMAND, -- COMMAND, "
                + "http://host:port/path, tcp://host:port, unix:/path or pipe:/name");
        }
        return new ToolArm(name, address);
    }

    // The name makes the address unique: the same command may be given twice.
    private static ToolArm OfCommand(string name, IReadOnlyList<string> words)
    {
        var command = string.Join(' ', Redaction.Without(words));
        return new ToolArm(name, new Address.Child(Address.Child.Stdio, name.Length > 0 ? $"{name} ({command})" : command), words);
    }
}
