using IpcBench.Server.BuiltIn;
using IpcBench.Server.Services;

namespace IpcBench.Server;

/// <summary>The gRPC implementations of this build.</summary>
internal static partial class Stacks
{
    private static readonly IReadOnlyList<(string Name, Func<IGrpcStack> Create)> All = List();

    public static string Default => All[0].Name;

    /// <summary>Every name for <c>--stack</c>, the default first.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. All.Select(stack => stack.Name)];

    public static IGrpcStack Create(string name) => All.FirstOrDefault(stack => stack.Name == name).Create?.Invoke()
        ?? throw new ArgumentException(Unknown(name), nameof(name));

    /// <summary>A sentence about an unknown name.</summary>
    public static string Unknown(string name) => name == IGrpcStack.GrpcDotnet
        ? "this build has no grpc-dotnet stack, because a package that it needs could not be found when it was built: "
            + "dotnet build -p:GrpcDotnet=true says which"
        : $"there is no stack '{name}': write {string.Join(" or ", Names)}";

    // Defined in the folder GrpcDotnet, if it is compiled.
    static partial void AddGrpcDotnet(List<(string Name, Func<IGrpcStack> Create)> stacks);

    private static List<(string Name, Func<IGrpcStack> Create)> List()
    {
        var stacks = new List<(string Name, Func<IGrpcStack> Create)>();
        AddGrpcDotnet(stacks);
        stacks.Add((BuiltInStack.StackName, () => new BuiltInStack()));
        return stacks;
    }
}
