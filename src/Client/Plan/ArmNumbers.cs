using System.Globalization;

namespace IpcBench.Client.Plan;

/// <summary>Names the arms of a transport that were given without a name: the first has none, the next are #2, #3, ….</summary>
internal sealed class ArmNumbers
{
    public const string Second = "#2";

    private readonly Dictionary<string, int> seen = [];

    /// <summary>Returns the name of the next arm of this kind of transport.</summary>
    public string Next(string kind) => (seen[kind] = seen.GetValueOrDefault(kind) + 1) is > 1 and var number
        ? string.Create(CultureInfo.InvariantCulture, $"#{number}") : "";

    /// <summary>Whether the name was made here, and not given by the user.</summary>
    public static bool IsNumber(string name) => name is "" or ['#', ..];
}
