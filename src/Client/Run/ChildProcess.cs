using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Makes private addresses for the servers that this tool starts, starts these servers, and ends them.</summary>
internal static partial class ChildProcess
{
    private const int Terminate = 15; // SIGTERM, signal(7)

    /// <summary>Makes an address that no other run uses, so that several runs can work at once.</summary>
    /// <param name="kind">One of <see cref="Address.Own"/>.</param>
    /// <exception cref="EnvironmentException">The folder for temporary files cannot hold the socket.</exception>
    public static Address PrivateAddress(string kind)
    {
        var name = string.Create(
            CultureInfo.InvariantCulture, $"{LeftSockets.Prefix}{Environment.ProcessId}-{Guid.NewGuid().ToString("N")[..8]}");
        var address = Address.Own[kind](name);
        if (address.SocketFile is { } file)
            CheckFolder(UnixSocketPath.Resolve(file));
        return address;
    }

    private static void CheckFolder(string file)
    {
        var (folder, variable) = (Path.GetTempPath(), OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR");
        if (!Directory.Exists(folder))
            throw new EnvironmentException($"{variable} is '{folder}', which is not a folder: set {variable} to a folder for "
                + "temporary files");
        try
        {
            _ = new UnixDomainSocketEndPoint(file);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new EnvironmentException(
                $"{variable} is '{folder}', which makes the path of a Unix socket longer than the system allows (about 100 bytes): "
                    + $"set {variable} to a folder with a shorter path", e);
        }
        catch (PlatformNotSupportedException)
        {
            // The server itself will report that there are no Unix sockets.
        }
    }

    /// <summary>Starts a server with redirected standard streams.</summary>
    /// <param name="hiddenVariables">Runtime variables that this process has changed, with their original values.</param>
    public static Process Start(
        ProcessStartInfo server, IReadOnlyDictionary<string, string?> hiddenVariables, CpuSet? cpus, string name)
    {
        foreach (var (variable, original) in hiddenVariables)
            server.Environment[variable] = original;
        server.RedirectStandardInput = server.RedirectStandardOutput = server.RedirectStandardError = true;
        server.CreateNoWindow = true;
        return Affinity.Start(server, cpus ?? Relaunch.CpusBefore(), name);
    }

    /// <summary>
    /// Closes the server's standard input, which tells the server to end. Kills the server if it does not end in time.
    /// Then removes the server's sockets, since a killed server cannot remove them.
    /// </summary>
    /// <exception cref="EnvironmentException">The server still runs, because this user may not end it (a server under sudo).</exception>
    public static async Task EndAsync(Process process, TimeSpan patience, IEnumerable<Address> addresses)
    {
        var refused = false;
        try
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync(CancellationToken.None).WaitAsync(patience);
        }
        catch (Exception e) when (e is TimeoutException or IOException or InvalidOperationException or OutOfMemoryException)
        {
            var killed = TryKill(process);
            // OutOfMemoryException means that the system allows no more threads. Then this program cannot wait for the
            // exit either.
            refused = e is not OutOfMemoryException && !process.WaitForExit(patience) && !killed;
        }
        var id = process.Id;
        process.Dispose();
        foreach (var address in addresses)
            TryRemove(() => RemoveSocket(address));
        if (!OperatingSystem.IsWindows() && !Directory.Exists($"/proc/{id}"))
            RemoveDiagnostics(id);
        if (refused)
        {
            throw new EnvironmentException(string.Create(CultureInfo.InvariantCulture,
                $"this tool started process {id} but may not end it: end process {id}, and start servers without sudo"));
        }
    }

    /// <summary>Ends the servers one after another. If a server cannot be ended, the next servers are still ended.</summary>
    /// <exception cref="EnvironmentException">Some servers still run. The message names each of them.</exception>
    public static async Task EndAllAsync(IEnumerable<IAsyncDisposable> servers)
    {
        var refusals = new List<string>();
        foreach (var server in servers)
        {
            try
            {
                await server.DisposeAsync();
            }
            catch (EnvironmentException e)
            {
                refusals.Add(e.Message);
            }
        }
        if (refusals.Count > 0)
            throw new EnvironmentException(string.Join("; ", refusals));
    }

    /// <summary>Ends a server when a step after its start has failed. The caller then throws that failure.</summary>
    /// <exception cref="EnvironmentException">The server still runs. The message begins with the message of the failure.</exception>
    public static async Task EndAfterAsync(Exception failure, IAsyncDisposable started)
    {
        try
        {
            await started.DisposeAsync();
        }
        catch (EnvironmentException e) when (failure is not OperationCanceledException)
        {
            throw new EnvironmentException($"{failure.Message}; {e.Message}", failure);
        }
    }

    /// <summary>
    /// Ends a program of the user with SIGTERM, and kills it if it does not end in time. Windows has no SIGTERM, so the
    /// program is killed immediately. Then kills all processes that the program has started, even if the program
    /// itself ended long ago.
    /// </summary>
    /// <param name="tree">The program with the descendants that were found so far.</param>
    /// <param name="patience">The time after which the program is killed.</param>
    public static async Task TerminateAsync(Process process, ProcessTree tree, TimeSpan patience)
    {
        try
        {
            if (!process.HasExited) // after the exit, the system may give this id to another process
            {
                tree.Find();
                if (OperatingSystem.IsWindows() || kill(process.Id, Terminate) != 0)
                    TryKill(process);
                await process.WaitForExitAsync(CancellationToken.None).WaitAsync(patience);
            }
        }
        catch (Exception e) when (e is TimeoutException or InvalidOperationException)
        {
            TryKill(process);
        }
        foreach (var one in tree.Descendants)
            ProcessTree.Kill(one);
    }

    // The id of an ended process is not used: the system may have given this id to another process.
    private static bool TryKill(Process process) => process.HasExited || ProcessTree.Kill(process.Id);

    /// <summary>
    /// Kills the servers of this project that this process has started. Needs no new thread, since the system may allow no
    /// more threads. The start of a server then hangs, and the server does not notice that its standard input was closed.
    /// Does nothing on Windows.
    /// </summary>
    public static void KillServers()
    {
        foreach (var server in OperatingSystem.IsWindows() ? [] : Orphans.Children().Where(IsServer))
            ProcessTree.Kill(server);
    }

    private static bool IsServer(int id) => ProcessTree.NameOf(id) == ServerLocation.Name;

    [LibraryImport("libc", SetLastError = true)]
    private static partial int kill(int process, int signal);

    private static void RemoveSocket(Address address)
    {
        if (address.SocketFile is { } file)
            File.Delete(UnixSocketPath.Resolve(file));
    }

    /// <summary>
    /// Removes the sockets for debuggers that a killed .NET process has left. On Windows, debuggers use pipes, which end
    /// with the process.
    /// </summary>
    internal static void RemoveDiagnostics(int id) => TryRemove(() =>
    {
        foreach (var kind in (string[])["dotnet-diagnostic-", "clr-debug-pipe-"])
        {
            foreach (var file in Directory.GetFiles(Path.GetTempPath(), $"{kind}{id}-*"))
                File.Delete(file);
        }
    });

    private static void TryRemove(Action remove)
    {
        try
        {
            remove();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file stays. A run whose measurements are done must not fail because of a file that cannot be removed.
        }
    }
}
