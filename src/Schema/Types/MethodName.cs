namespace IpcBench.Schema.Types;

/// <summary>The name of a method: <c>package.Service/Method</c>, or with the leading slash of a request's path.</summary>
public static class MethodName
{
    /// <exception cref="InputException">The text has no such form.</exception>
    public static (string Service, string Method) Split(string name)
    {
        var parts = (name.StartsWith('/') ? name[1..] : name).Split('/');
        return parts is [{ Length: > 0 } service, { Length: > 0 } method]
            ? (service, method)
            : throw new InputException($"'{name}' is no method: write package.Service/Method, as in helloworld.Greeter/SayHello");
    }
}
