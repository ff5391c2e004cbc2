using System.Diagnostics;
using System.Text;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks which paths may be named with <c>-o</c> or as a results file, and what happens to a file there.</summary>
public sealed class WholeFileTests : IDisposable
{
    private static readonly TimeSpan Wait = TimeSpan.FromSeconds(30);
    private readonly string folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private string PathOf(string name) => Path.Combine(folder, name);

    private static void Write(string path, string text) => WholeFile.Write(path, file => file.Write(Encoding.UTF8.GetBytes(text)));

    [Fact]
    public void The_refusal_of_a_folder_without_new_files_names_no_temporary_file()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the paths are Linux's");
        var refused = Assert.Throws<UnauthorizedAccessException>(() => Write("/proc/run.json", "new"));
        Assert.Equal("cannot write /proc/run.json: this user may not write in the folder /proc",
            WholeFile.Refusal("/proc/run.json", refused));
    }

    [Fact]
    public void A_symbolic_link_stays_and_its_target_is_replaced()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need a privilege on Windows");
        Directory.CreateDirectory(PathOf("deep"));
        File.WriteAllText(PathOf("deep/real"), "old");
        File.CreateSymbolicLink(PathOf("first"), "second");
        File.CreateSymbolicLink(PathOf("second"), PathOf("deep/real"));
        Write(PathOf("first"), "new");
        Assert.Equal("second", new FileInfo(PathOf("first")).LinkTarget);
        Assert.Equal("new", File.ReadAllText(PathOf("deep/real")));
        Assert.Equal([PathOf("deep/real")], Directory.GetFiles(PathOf("deep")));

        File.CreateSymbolicLink(PathOf("dangling"), "not yet");
        Write(PathOf("dangling"), "new");
        Assert.Equal("new", File.ReadAllText(PathOf("not yet")));

        File.CreateSymbolicLink(PathOf("circle"), "circle");
        Assert.Throws<IOException>(() => Write(PathOf("circle"), "new"));
    }

    [Fact]
    public void A_regular_file_in_shared_memory_is_replaced_too()
    {
        Assert.SkipUnless(Directory.Exists("/dev/shm"), "only Linux has /dev/shm");
        var path = $"/dev/shm/ipcbench-{Guid.NewGuid():N}";
        try
        {
            Write(path, "old and longer");
            Write(path, "new");
            Assert.Equal("new", File.ReadAllText(path));

            File.Delete(path);
            File.CreateSymbolicLink(path, PathOf("behind"));
            Write(path, "newer");
            Assert.Equal("newer", File.ReadAllText(PathOf("behind")));
            Assert.NotNull(new FileInfo(path).LinkTarget);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void A_replaced_file_keeps_its_mode()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no modes on Windows");
        if (OperatingSystem.IsWindows())
            return; // for the analyzer
        var path = PathOf("kept");
        File.WriteAllText(path, "old");
        var mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;
        File.SetUnixFileMode(path, mode);
        Write(path, "new");
        Assert.Equal("new", File.ReadAllText(path));
        Assert.Equal(mode, File.GetUnixFileMode(path));
    }

    [Fact]
    public void A_new_file_gets_its_name_only_when_it_is_complete()
    {
        var path = PathOf("new");
        Assert.True(WholeFile.TryMake(path, file =>
        {
            Assert.False(File.Exists(path));
            file.Write("whole"u8);
        }));
        Assert.Equal("whole", File.ReadAllText(path));
        Assert.Equal([path], Directory.GetFiles(folder));
    }

    [Fact]
    public void A_new_file_replaces_no_file_that_another_program_made_meanwhile()
    {
        var path = PathOf("new");
        Assert.False(WholeFile.TryMake(path, _ => File.WriteAllText(path, "another's")));
        Assert.False(WholeFile.TryMake(path, file => file.Write("ours"u8)));
        Assert.Equal("another's", File.ReadAllText(path));
        Assert.Equal([path], Directory.GetFiles(folder));
    }

    [Fact]
    public void A_reader_sees_the_old_file_until_the_new_file_is_complete()
    {
        var path = PathOf("whole");
        Write(path, "old");
        WholeFile.Write(path, file =>
        {
            file.Write("ne"u8);
            file.Flush();
            Assert.Equal("old", File.ReadAllText(path));
        });
        Assert.Equal("ne", File.ReadAllText(path));
        Assert.Throws<IOException>(() => WholeFile.Write(path, _ => throw new IOException("full")));
        Assert.Equal("ne", File.ReadAllText(path));
        Assert.Equal([path], Directory.GetFiles(folder));
    }

    [Fact]
    public async Task A_pipe_gets_the_bytes_and_stays_a_pipe()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "pipes in folders are Unix's");
        var path = PathOf("pipe");
        Run("mkfifo", path);
        Assert.True(FileKind.IsStream(path));
        var reading = Task.Run(() => File.ReadAllText(path));
        await Task.Run(() => Write(path, "through")).WaitAsync(Wait);
        Assert.Equal("through", await reading.WaitAsync(Wait));
        Assert.Equal("fifo\n", Run("stat", "-c", "%F", path));
        Assert.Equal([path], Directory.GetFiles(folder));
    }

    [Fact]
    public void An_unwritable_folder_or_file_is_rejected()
    {
        var path = PathOf("locked");
        File.WriteAllText(path, "old");
        File.SetAttributes(path, FileAttributes.ReadOnly);
        Assert.Throws<UnauthorizedAccessException>(() => Write(path, "new"));
        File.SetAttributes(path, FileAttributes.Normal);
        Assert.Equal("old", File.ReadAllText(path));
        Assert.Equal("the path is a folder", Assert.Throws<IOException>(() => Write(folder, "new")).Message);
        Assert.True(Directory.Exists(folder));
    }

    [Fact]
    public void A_folder_that_was_removed_meanwhile_is_created_again()
    {
        var path = PathOf("gone/run.json");
        Write(path, "first");
        Directory.Delete(PathOf("gone"), recursive: true);
        Write(path, "second");
        Assert.Equal("second", File.ReadAllText(path));
    }

    [Theory]
    [InlineData(3L << 30)]
    [InlineData((1L << 30) + (1L << 29))]
    [InlineData((256L << 20) + 1)]
    public void A_results_file_that_is_too_large_is_rejected(long length)
    {
        var path = PathOf("large.json");
        using (var file = File.Create(path))
            file.SetLength(length); // a sparse file, which takes no space
        Assert.Equal($"cannot read {path}: the file is larger than 256 MiB",
            Assert.Throws<ResultsFileException>(() => ResultsFile.Load(path)).Message);
    }

    [Fact]
    public async Task An_endless_device_is_rejected_as_a_results_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices in folders are Unix's");
        Assert.SkipUnless(File.Exists("/dev/zero"), "there is no /dev/zero");
        var error = await Assert.ThrowsAsync<ResultsFileException>(() => Task.Run(() => ResultsFile.Load("/dev/zero")).WaitAsync(Wait));
        Assert.Equal("cannot read /dev/zero: the file is larger than 256 MiB", error.Message);
        Assert.Equal("/dev/null is empty", Assert.Throws<ResultsFileException>(() => ResultsFile.Load("/dev/null")).Message);
    }

    private static string Run(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return output;
    }
}
