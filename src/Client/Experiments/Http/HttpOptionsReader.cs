using System.CommandLine;
using System.Globalization;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Transports;

namespace IpcBench.Client.Experiments.Http;

/// <summary>Turns the command line of <c>http</c> into <see cref="RunOptions"/>.</summary>
internal sealed class HttpOptionsReader(HttpCommandOptions declared, ParseResult typed)
{
    /// <exception cref="UsageException">An option is invalid.</exception>
    public RunOptions Read()
    {
        if (typed.GetValue(declared.Run.Streams) is not (null or "1"))
            throw new UsageException(
                "-m would need HTTP/1.1 pipelining, which this tool does not measure: use more connections (-c)");
        var arms = Arms();
        return new RunOptionsReader(declared.Run, typed, given: [.. arms.Select(arm => arm.Address)]).Read() with
        {
            Http = arms,
            Scenario = typed.GetValue(declared.Scenario) ?? "",
        };
    }

    private List<HttpArm> Arms()
    {
        var asked = Request();
        var urls = Urls().Select(HttpUrl.Parse).ToList();
        var names = ArmNumbers.NamesOf([.. urls.Select(url => (url.Name, url.Address, (string?)url.Path(asked.Path)))]);
        var arms = new List<HttpArm>();
        foreach (var (url, name) in urls.Zip(names))
        {
            arms.Add(new HttpArm(name, url.Address, asked with
            {
                Url = Numbered(url.Shown(asked.Path), arms),
                Path = url.Path(asked.Path),
                Host = asked.Host.Length > 0 ? asked.Host : url.Host,
            }));
        }
        return arms;
    }

    /// <summary>Returns the URL for reports. Adds a number if the URL differs from an earlier URL only in a hidden part.</summary>
    private static string Numbered(string shown, List<HttpArm> before)
    {
        var same = shown.EndsWith(UrlText.Hidden, StringComparison.Ordinal)
            ? before.Count(arm => arm.Request.Url.StartsWith(shown[..^1], StringComparison.Ordinal))
            : 0;
        return same == 0 ? shown : string.Create(CultureInfo.InvariantCulture, $"{shown[..^1]} #{same + 1})");
    }

    /// <summary>
    /// Returns the URLs. They include a URL directly after --connect-per-call, although the parser takes that URL for the
    /// value of the option.
    /// </summary>
    private IReadOnlyList<string> Urls()
    {
        IReadOnlyList<string> urls = typed.GetValue(declared.Run.ConnectPerCall) is { } word and not "both"
            ? [word, .. typed.GetValue(declared.Urls) ?? []]
            : typed.GetValue(declared.Urls) ?? [];
        return urls.Count > 0
            ? urls
            : throw new UsageException("http needs a server to measure, as in GrpcBench http http://localhost:8080/");
    }

    /// <summary>
    /// Makes the request that all arms share. Host is empty unless <c>-H</c> gives a Host. Path is for URLs without a path of
    /// their own.
    /// </summary>
    private HttpRequest Request()
    {
        var body = typed.GetValue(declared.Body) is { } file ? Parsers.File(file, $"--body '{file}'") : null;
        var headers = HeaderTexts.Read(typed.GetValue(declared.Header) ?? []).Select(HttpHeader.Parse).ToList();
        var hosts = headers.Where(header => header.Is("Host")).ToList();
        return new HttpRequest
        {
            Url = "",
            Method = Method(body),
            Path = Path(),
            Host = hosts.Count > 1 ? throw new UsageException("-H gives Host twice") : hosts.Count == 1 ? hosts[0].Value : "",
            Headers = [.. headers.Except(hosts).Select(header => $"{header.Name}: {header.Value}")],
            Body = body,
            VaryingLength = typed.GetValue(declared.VaryingLength),
            ExpectStatus = Expected(),
        };
    }

    private ExpectedStatus Expected()
    {
        try
        {
            return typed.GetValue(declared.ExpectStatus) is { } list ? ExpectedStatus.Parse(list) : ExpectedStatus.Success;
        }
        catch (FormatException e)
        {
            throw new UsageException($"--expect-status: {e.Message}");
        }
    }

    private string Method(byte[]? body)
    {
        var method = typed.GetValue(declared.Method) ?? (body is null ? "GET" : "POST");
        if (method.Length is 0 or > 32 || !method.All(char.IsAsciiLetter))
            throw new UsageException($"--method '{method}' is not a method such as GET, HEAD or POST");
        return method.ToUpperInvariant() is "CONNECT" or "TRACE"
            ? throw new UsageException(
                $"--method {method} opens a tunnel or echoes the request: measure GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
            : method.ToUpperInvariant();
    }

    private string Path()
    {
        var path = typed.GetValue(declared.Path) ?? "";
        if (path.Length > 0 && path[0] != '/')
            throw new UsageException($"--path '{UrlText.WithoutSecrets(path)}' must begin with a slash");
        return path.All(c => c is > ' ' and < '\x7f' and not '#')
            ? path
            : throw new UsageException(
                $"--path '{UrlText.WithoutSecrets(path)}' has characters that a request may not contain: percent-encode them, as in %20");
    }
}
