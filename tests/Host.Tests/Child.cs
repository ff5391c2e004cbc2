using System.Diagnostics;

namespace IpcBench.Host.Tests;

/// <summary>A small program as a process of its own, which is killed when the test ends.</summary>
internal sealed class Child : IDisposable
{
    private readonly Process process;

    private Child(Process process) => this.process = process;

    public int Id => process.Id;

    /// <summary>Starts a shell script. On other systems than Linux the test is skipped.</summary>
    public static Child Shell(string script)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        return Start("/bin/sh", "-c", script);
    }

    /// <summary>Starts a Python program. Without Linux or /usr/bin/python3 the test is skipped.</summary>
    public static Child Python(string program, params string[] arguments)
    {
        const string python = "/usr/bin/python3";
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        Assert.SkipUnless(File.Exists(python), "needs /usr/bin/python3");
        return Start(python, ["-u", "-c", program, .. arguments]);
    }

    /// <summary>Reads the next line that the program prints.</summary>
    public async Task<string> LineAsync() =>
        await process.StandardOutput.ReadLineAsync().WaitAsync(TimeSpan.FromSeconds(60)) ?? throw new EndOfStreamException("it ended");

    public Task EndedAsync() => process.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(60));

    public void Write(string line) => process.StandardInput.WriteLine(line);

    public void Dispose()
    {
        if (!process.HasExited)
            ProcessTree.Kill(process.Id);
        process.WaitForExit(10_000);
        process.Dispose();
    }

    private static Child Start(string program, params string[] arguments) =>
        new(Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true })!);
}
