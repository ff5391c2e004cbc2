using System.Globalization;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>Names the arms of a transport that were given without a name: the first has none, the next are #2, #3, ….</summary>
internal sealed class ArmNumbers
{
    public const string Second = "#2";

    private readonly Dictionary<string, int> seen = [];

    /// <summary>Returns the name of the next arm of this kind of transport.</summary>
    public string Next(string kind) => (seen[kind] = seen.GetValueOrDefault(kind) + 1) is > 1 and var number
        ? string.Create(CultureInfo.InvariantCulture, $"#{number}") : "";

    /// <summary>Returns the names of all arms: the name that the user gave, or a number.</summary>
    /// <param name="given">The server of each arm, and its name. The name is empty if the user gave none.</param>
    /// <exception cref="UsageException">Two servers have the same name, or the same server is given twice without a name.</exception>
    public static IReadOnlyList<string> NamesOf(IReadOnlyList<(string Name, Address Address, string? Path)> given)
    {
        if (given.Where(arm => arm.Name.Length > 0).GroupBy(arm => (arm.Name, arm.Address.Kind)).FirstOrDefault(same => same.Count() > 1)
            is { Key: var (name, kind) })
            throw new UsageException($"two servers over {kind} are named '{name}': give each server its own name");
        if (given.Where(arm => arm.Name.Length == 0).GroupBy(arm => arm).Any(same => same.Count() > 1))
            throw new UsageException("the same server is given twice: give each a name, as in a=SERVER b=SERVER");
        var numbers = new ArmNumbers();
        return [.. given.Select(arm => arm.Name.Length > 0 ? arm.Name : numbers.Next(arm.Address.Kind))];
    }
}
