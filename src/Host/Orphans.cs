using System.Globalization;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>
/// Processes whose parent ended. Linux hands them to the first process of the system, unless an ancestor asks for them: this process can,
/// and then finds whatever the programs that it started have left. Elsewhere nobody is taken over (on Windows a job object keeps them
/// together: <see cref="ChildLife"/>).
/// </summary>
public static partial class Orphans
{
    private const int SetChildSubreaper = 36, NoHang = 1; // prctl(2), waitpid(2)

    /// <summary>From now on orphans below this process become its children; false where the system does not do that.</summary>
    public static bool TryAdopt() => OperatingSystem.IsLinux() && prctl(SetChildSubreaper, 1, 0, 0, 0) == 0;

    /// <summary>Processes whose parent is this one, ended ones that nobody waited for included.</summary>
    public static IReadOnlyList<int> Children() =>
        [.. ProcessTree.Parents().Where(one => one.Value == Environment.ProcessId).Select(one => one.Key)];

    /// <summary>
    /// Frees the number of a child that has ended; nothing where it goes on. Only for one that no <see cref="System.Diagnostics.Process"/>
    /// of this program stands for.
    /// </summary>
    public static void Reap(int child)
    {
        if (OperatingSystem.IsLinux())
            _ = waitpid(child, 0, NoHang);
    }

    /// <summary>
    /// Processes that were started with this variable in their environment, and whatever they have started since, wherever it went. Linux
    /// only: other systems give an empty list.
    /// </summary>
    /// <param name="variable">As <c>NAME=value</c>.</param>
    public static IReadOnlyList<int> Marked(string variable) =>
        OperatingSystem.IsLinux() ? [.. ProcessTree.Parents().Keys.Where(id => IsMarked(id, variable))] : [];

    private static bool IsMarked(int id, string variable)
    {
        try
        {
            var environment = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/environ"));
            return environment.Split('\0').Contains(variable);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false; // it has ended, or is another user's
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int prctl(int option, nint second, nint third, nint fourth, nint fifth);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int waitpid(int process, nint status, int options);
}
