using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.Transports;

/// <summary>
/// The address of a server. Its subtype decides the transport of client and server. <see cref="Parse"/> reads what
/// <see cref="ToString"/> writes.
/// </summary>
public abstract partial record Address
{
    private Address()
    {
    }

    /// <summary>
    /// The transport's short name in files and reports: <c>tcp</c>, <c>tls</c>, <c>unix</c>, <c>pipe</c>,
    /// <c>socketpair</c>, <c>stdio</c> or <c>shm</c>.
    /// </summary>
    public abstract string Kind { get; }

    /// <summary>
    /// The path of the socket file that a server at this address creates. The path may be relative, and
    /// <see cref="UnixSocketPath"/> makes a full path of it. Null when the address has no file.
    /// </summary>
    public virtual string? SocketFile => null;

    /// <summary>The authority of an HTTP request to this address: host and port, or localhost for an address without a host.</summary>
    public string Authority => this switch
    {
        Tcp tcp => string.Create(CultureInfo.InvariantCulture, $"{HostText(tcp.Host)}:{tcp.Port}"),
        Tls tls => string.Create(CultureInfo.InvariantCulture, $"{HostText(tls.Host)}:{tls.Port}"),
        _ => "localhost",
    };

    /// <summary>
    /// Cleartext TCP: to a server of HTTP/2 by prior knowledge (<c>http://host:port</c>), or to a server that does not
    /// speak HTTP (<c>tcp://host:port</c>).
    /// </summary>
    public sealed record Tcp(string Host, int Port) : Address
    {
        public override string Kind => "tcp";

        /// <summary>
        /// Whether the address was written <c>tcp://</c>, because its server does not speak HTTP. Equality ignores this property.
        /// </summary>
        public bool IsBare { get; init; }

        public bool Equals(Tcp? other) => other is not null && (Host, Port) == (other.Host, other.Port);

        public override int GetHashCode() => HashCode.Combine(Host, Port);

        public override string ToString() =>
            string.Create(CultureInfo.InvariantCulture, $"{(IsBare ? "tcp" : "http")}://{HostText(Host)}:{Port}");
    }

    /// <summary>TLS over TCP: <c>https://host:port</c>.</summary>
    public sealed record Tls(string Host, int Port) : Address
    {
        public override string Kind => "tls";
        public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"https://{HostText(Host)}:{Port}");
    }

    /// <summary>A Unix domain socket bound to a file: <c>unix:/path</c>.</summary>
    public sealed record Unix(string Path) : Address
    {
        public override string Kind => "unix";
        public override string? SocketFile => Path;
        public override string ToString() => "unix:" + Path;
    }

    /// <summary>
    /// A Unix domain socket in Linux's abstract namespace (unix(7)), which has no file and no permissions: <c>unix-abstract:name</c>.
    /// </summary>
    public sealed record UnixAbstract(string Name) : Address
    {
        public override string Kind => "unix";
        public override string ToString() => "unix-abstract:" + Name;
    }

    /// <summary>A named pipe of this machine: <c>pipe:/name</c>.</summary>
    public sealed record Pipe(string Name) : Address
    {
        public override string Kind => "pipe";
        public override string? SocketFile => OperatingSystem.IsWindows() ? null : NamedPipeConnector.UnixSocketPath(Name);
        public override string ToString() => "pipe:/" + Name;
    }

    /// <summary>
    /// Child processes of the client: each connection has its own child. The child speaks on its standard input and
    /// output (<c>stdio:name</c>), on one end of a socketpair(2) (<c>socketpair:name</c>, Linux only), or through shared
    /// memory (<c>shm:name</c>, Linux and Windows).
    /// <see cref="Children.Offer"/> says how a child is started.
    /// </summary>
    public sealed record Child(string Transport, string Name) : Address
    {
        public const string Stdio = "stdio", SocketPair = "socketpair", SharedMemory = "shm";

        public static bool IsKind(string kind) => kind is Stdio or SocketPair or SharedMemory;

        /// <summary>Returns the command of <c>stdio:COMMAND</c>. Null for other texts.</summary>
        public static string? CommandIn(string text) =>
            text.StartsWith(Stdio + ":", StringComparison.OrdinalIgnoreCase) ? text[(Stdio.Length + 1)..] : null;

        public override string Kind => Transport;
        public override string ToString() => $"{Transport}:{Name}";
    }

    /// <summary>
    /// The transports that a server of this project offers, by <see cref="Kind"/>. Each function makes an address from a
    /// name that nobody else uses. TCP and TLS get port 0, so that the system chooses the port.
    /// </summary>
    public static OrderedDictionary<string, Func<string, Address>> Own { get; } = new()
    {
        ["tcp"] = _ => new Tcp("localhost", 0),
        ["tls"] = _ => new Tls("localhost", 0),
        ["unix"] = name => new Unix(System.IO.Path.Combine(System.IO.Path.GetTempPath(), name + ".sock")),
        ["pipe"] = name => new Pipe(name),
        [Child.SocketPair] = name => new Child(Child.SocketPair, name),
        [Child.Stdio] = name => new Child(Child.Stdio, name),
        [Child.SharedMemory] = name => new Child(Child.SharedMemory, name),
    };

    /// <summary>Reads any spelling of an address that <c>--help</c> lists.</summary>
    /// <exception cref="FormatException">The text is not an address. The message says how to write the address.</exception>
    public static Address Parse(string text) =>
        TryParse(text, out var address, out var error) ? address : throw new FormatException(error);

    /// <summary>
    /// Reads an address as <see cref="Parse"/> does. On failure, <paramref name="error"/> is one sentence that says how
    /// to write the address.
    /// </summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out Address? address, [NotNullWhen(false)] out string? error)
    {
        const string pipePrefix = @"\\.\pipe\";
        (address, error) = text switch
        {
            _ when text.StartsWith("http://", StringComparison.OrdinalIgnoreCase) => ParseUrl(text, tls: false),
            _ when text.StartsWith("tcp://", StringComparison.OrdinalIgnoreCase) => ParseTcp(text),
            _ when text.StartsWith("https://", StringComparison.OrdinalIgnoreCase) => ParseUrl(text, tls: true),
            _ when text.StartsWith("unix-abstract:", StringComparison.OrdinalIgnoreCase) => ParseAbstract(text["unix-abstract:".Length..]),
            _ when text.StartsWith("unix:", StringComparison.OrdinalIgnoreCase) => ParseUnix(text["unix:".Length..]),
            _ when text.StartsWith("pipe:", StringComparison.OrdinalIgnoreCase) => ParsePipe(text["pipe:".Length..].TrimStart('/')),
            _ when text.StartsWith(pipePrefix, StringComparison.OrdinalIgnoreCase) => ParsePipe(text[pipePrefix.Length..]),
            _ when text.Split(':', 2) is [var kind, var name] && Child.IsKind(kind) => (new Child(kind, name), null),
            _ when HostAndPort().IsMatch(text) => ParseUrl("http://" + text, tls: false),
            _ => ((Address?)null,
                $"'{UrlText.WithoutSecrets(text)}' is not an address: "
                + "write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name"),
        };
        return address is not null;
    }

    [GeneratedRegex(@"^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}$")]
    private static partial Regex HostAndPort();

    private static (Address?, string?) ParseUrl(string text, bool tls)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Host.Length == 0)
            return (null, $"'{UrlText.WithoutSecrets(text)}' is not a URL: write {text.Split(':')[0].ToLowerInvariant()}://host:port");
        if (uri.PathAndQuery is not "/" || uri.Fragment.Length > 0 || uri.UserInfo.Length > 0)
            return (null, $"'{UrlText.WithoutSecrets(text)}' has more than a host and a port: write {uri.Scheme}://{uri.Authority}");
        var host = uri.Host.Trim('[', ']');
        return (tls ? new Tls(host, uri.Port) : new Tcp(host, uri.Port), null);
    }

    // Reads tcp://host:port, for servers that do not speak HTTP. The scheme has no default port.
    private static (Address?, string?) ParseTcp(string text)
    {
        if (Uri.TryCreate(text, UriKind.Absolute, out var uri) && uri.Port < 0)
            return (null, $"'{UrlText.WithoutSecrets(text)}' needs a port: write tcp://host:port");
        var (address, error) = ParseUrl(text, tls: false);
        return (address is Tcp tcp ? tcp with { IsBare = true } : null, error);
    }

    private static (Address?, string?) ParseUnix(string path)
    {
        if (path.StartsWith("///", StringComparison.Ordinal))
            path = path[2..];
        return path.Length == 0 || path == "/" || path.Contains('\0', StringComparison.Ordinal)
            ? (null, "unix: needs the path of a socket file, as in unix:/tmp/greeter.sock")
            : (new Unix(path), null);
    }

    private static (Address?, string?) ParseAbstract(string name) => name.Length == 0 || name.Contains('\0', StringComparison.Ordinal)
        ? (null, "unix-abstract: needs a name, as in unix-abstract:greeter")
        : (new UnixAbstract(name), null);

    // NamedPipeServerStream rejects the name "anonymous" with an ArgumentOutOfRangeException.
    private static (Address?, string?) ParsePipe(string name) => name.Length == 0 || name.IndexOfAny(['/', '\\', '\0']) >= 0
        ? (null, @"pipe: needs a name without slashes, as in pipe:/PipeGreeter or \\.\pipe\PipeGreeter")
        : name.Equals("anonymous", StringComparison.OrdinalIgnoreCase)
        ? (null, "pipe:/anonymous is a name that .NET reserves: choose another name")
        : (new Pipe(name), null);

    private static string HostText(string host) => host.Contains(':', StringComparison.Ordinal) ? $"[{host}]" : host;
}
