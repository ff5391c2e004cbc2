namespace IpcBench.Host.Tests;

public class ProcessTreeTests
{
    [Fact]
    public void Blanks_and_brackets_in_a_process_name_do_not_shift_the_fields()
    {
        var files = new CapturedFiles((
            "/proc/7/stat",
            "7 (my (odd) prog) S 3 7 7 0 -1 4194304 100 200 0 0 11 22 33 44 20 0 1 0 500 1000000 321 18446744073709551615 1 1"));
        var stat = ProcessTree.StatOf(files, 7);
        Assert.NotNull(stat);
        Assert.Equal([3L, 11, 22, 33, 44, 321], [stat[1], stat[11], stat[12], stat[13], stat[14], stat[21]]);
        Assert.Equal(3, ProcessTree.ClockOf(stat, 0).Parent);
    }

    [Fact]
    public void A_process_older_than_its_supposed_parent_is_not_its_child()
    {
        // On Windows, process 30 keeps the id of its parent after the parent ended. Process 10 has that id now.
        var parents = new Dictionary<int, int> { [10] = 1, [20] = 10, [30] = 10, [31] = 30, [40] = 20 };
        var started = new Dictionary<int, long?> { [10] = 100, [20] = 110, [30] = 50, [31] = 60, [40] = 110 };

        Assert.Equal([10, 20, 40], ProcessTree.Family([10], parents, one => started.GetValueOrDefault(one)).Order());
        Assert.Equal([10, 20, 30, 31, 40], ProcessTree.Family([10], parents, _ => null).Order());
    }

    [Fact]
    public async Task A_process_is_killed_with_all_its_descendants()
    {
        using var child = Child.Shell("sleep 1000 & setsid sh -c 'sleep 1000 & echo ready; wait' & wait");
        await child.LineAsync();
        var tree = new ProcessTree([child.Id]);
        tree.Find();
        Assert.Equal(4, tree.Members.Count);

        Assert.True(ProcessTree.Kill(child.Id));
        await child.EndedAsync();
        for (var i = 0; i < 600 && tree.Members.Any(IsAlive); i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.DoesNotContain(tree.Members, IsAlive);
        Assert.True(ProcessTree.Kill(child.Id)); // an ended process is no error

        static bool IsAlive(int id) // a process that has ended has no command line
        {
            try
            {
                return File.ReadAllText($"/proc/{id}/cmdline").Length > 0;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }

    [Fact]
    public void A_process_neither_kills_itself_nor_its_ancestors()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks for processes in /proc");
        Assert.False(ProcessTree.Kill(Environment.ProcessId));
        Assert.False(ProcessTree.Kill(ProcessTree.ParentFinder()(Environment.ProcessId)!.Value));
    }

    [Fact]
    public void CPU_time_of_an_ended_child_is_not_subtracted_if_the_parent_did_not_wait_for_the_child()
    {
        // 8 waited for its child 9, which used 0.3 s and then 0.2 s more. 11 ended too, but its parent 10 did not wait.
        static ProcessClock Clock(long userMs, long endedMs = 0, int parent = 1) =>
            new(1, userMs * 1_000_000, userMs * 1_000_000, 0, endedMs * 1_000_000, 0) { Parent = parent };
        var earlier = new TreeReading([], new Dictionary<int, ProcessClock>
        {
            [8] = Clock(100),
            [9] = Clock(300, parent: 8),
            [10] = Clock(100),
            [11] = Clock(5_000, parent: 10),
        });
        var later = new TreeReading([], new Dictionary<int, ProcessClock> { [8] = Clock(100, endedMs: 500), [10] = Clock(100) });

        Assert.Equal((200_000_000, 0), TreeReading.Between(earlier, later));
    }

    [Fact]
    public void CPU_time_of_other_processes_is_scaled_to_the_window()
    {
        var around = new OtherUsage(600, [new ProcessShare(7, "burner", 300)]) { KernelThreadsNs = 60, Span = TimeSpan.FromSeconds(1.5) };
        var within = around.Within(TimeSpan.FromSeconds(1));

        Assert.Equal((400, 200, 40), (within.TotalNs, within.Busiest[0].CpuNs, within.KernelThreadsNs));
        Assert.Equal(around, around.Within(TimeSpan.FromSeconds(2)));
    }
}
