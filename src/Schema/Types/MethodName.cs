namespace IpcBench.Schema.Types;

/// <summary>
/// Splits a method's name: <c>package.Service/Method</c>, <c>package.Service.Method</c>, or a path with a leading slash.
/// </summary>
public static class MethodName
{
    /// <exception cref="InputException">The text has none of these forms.</exception>
    public static (string Service, string Method) Split(string name)
    {
        var path = name.StartsWith('/') ? name[1..] : name;
        // A text without a slash and with only one dot is refused, because it has two meanings: Service.Method without a package,
        // or package.Service without a method.
        var dot = path.LastIndexOf('.');
        string[] parts = !path.Contains('/') && path.Count(letter => letter == '.') > 1
            ? [path[..dot], path[(dot + 1)..]] : path.Split('/');
        return parts is [{ Length: > 0 } service, { Length: > 0 } method]
            ? (service, method)
            : throw new InputException($"'{name}' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello");
    }
}
