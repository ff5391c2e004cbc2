namespace IpcBench.Client.Plan;

/// <summary>An option that adds cells at a given load.</summary>
/// <param name="Option">The option as it is typed.</param>
/// <param name="Value">The placeholder for the option's value in the help, such as <c>LIST</c>.</param>
/// <param name="Help">One sentence for <c>--help</c>.</param>
/// <param name="Read">Returns the loads that the option's value names.</param>
internal sealed record LoadOption(string Option, string Value, string Help, Func<string, IEnumerable<GivenLoad>> Read);
