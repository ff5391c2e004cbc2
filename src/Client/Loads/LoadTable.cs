using IpcBench.Client.Loads.Find;
using IpcBench.Client.Loads.Given;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Loads;

/// <summary>
/// The options that add cells at a given load. To add an option, add a folder beside this file and an entry here.
/// </summary>
internal static class LoadTable
{
    /// <summary>The options in the order of the help.</summary>
    public static IReadOnlyList<LoadOption> All { get; } = [ShareLoad.Asked, RateLoad.Asked, SearchLoad.Asked];
}
