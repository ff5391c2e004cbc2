using IpcBench.Server.BuiltIn;

namespace IpcBench.Server;

/// <summary>The catalogue of gRPC implementations in this build.</summary>
internal static class Stacks
{
    public const string Default = BuiltInStack.StackName;

    /// <summary>Every name that <c>--stack</c> takes.</summary>
    public static IReadOnlyList<string> Names { get; } = [BuiltInStack.StackName];

    /// <summary>The stack of that name.</summary>
    public static IGrpcStack Create(string name) => name switch
    {
        BuiltInStack.StackName => new BuiltInStack(),
        _ => throw new ArgumentException($"no stack '{name}'", nameof(name)),
    };
}
