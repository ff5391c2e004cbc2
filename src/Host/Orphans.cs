using System.Globalization;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>
/// Processes whose parent has ended. On Linux their new parent is process 1, or the nearest ancestor that has set
/// PR_SET_CHILD_SUBREAPER (prctl(2)). If this process sets this option, it can find processes that its programs have
/// left behind. On Windows a job object ends such processes (<see cref="ChildLife"/>).
/// </summary>
public static partial class Orphans
{
    private const int SetChildSubreaper = 36, NoHang = 1; // prctl(2), waitpid(2)

    /// <summary>
    /// Makes this process the parent of all orphans among its descendants, from now on. Returns false when the system
    /// does not support this.
    /// </summary>
    public static bool TryAdopt() => OperatingSystem.IsLinux() && prctl(SetChildSubreaper, 1, 0, 0, 0) == 0;

    /// <summary>Lists the children of this process, including zombies (ended, but not waited for).</summary>
    public static IReadOnlyList<int> Children() =>
        [.. ProcessTree.Parents().Where(one => one.Value == Environment.ProcessId).Select(one => one.Key)];

    /// <summary>
    /// Frees the id of an ended child. Does nothing while the child runs. Use this only for a child without a
    /// <see cref="System.Diagnostics.Process"/> object in this program.
    /// </summary>
    public static void Reap(int child)
    {
        if (OperatingSystem.IsLinux())
            _ = waitpid(child, 0, NoHang);
    }

    /// <summary>
    /// Lists the processes that were started with this variable in their environment. Their descendants inherit the
    /// variable, so the descendants are listed too, whoever their parent is now. Empty on systems other than Linux.
    /// </summary>
    /// <param name="variable">The variable, written <c>NAME=value</c>.</param>
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
            return false; // the process has ended, or belongs to another user
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int prctl(int option, nint second, nint third, nint fourth, nint fifth);

    [LibraryImport("libc", SetLastError = true)]
    private static partial int waitpid(int process, nint status, int options);
}
