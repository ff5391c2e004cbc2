using IpcBench.Server.BuiltIn;
using IpcBench.Server.GrpcDotnet;
using IpcBench.Server.Services;

namespace IpcBench.Server;

/// <summary>The gRPC implementations.</summary>
internal static class Stacks
{
    // Most gRPC servers on .NET use grpc-dotnet, so it is the default.
    private static readonly IReadOnlyList<(string Name, Func<IGrpcStack> Create)> All =
    [
        (IGrpcStack.GrpcDotnet, () => new GrpcDotnetStack()),
        (BuiltInStack.StackName, () => new BuiltInStack()),
    ];

    public static string Default => All[0].Name;

    /// <summary>Every name for <c>--stack</c>, the default first.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. All.Select(stack => stack.Name)];

    public static IGrpcStack Create(string name) => All.FirstOrDefault(stack => stack.Name == name).Create?.Invoke()
        ?? throw new ArgumentException(Unknown(name), nameof(name));

    public static string Unknown(string name) => $"there is no stack '{name}': write {string.Join(" or ", Names)}";
}
