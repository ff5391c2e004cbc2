using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// Compares the values of a setting on the same transport: <c>--server-build jit,aot</c>, <c>--sockets dotnet,loop</c>. A
/// table compares one value with the first value, with a row for each transport and load. Only cells of the tables of
/// <see cref="UnixAgainstTcp"/>, which compare transports and not settings, are compared here.
/// </summary>
internal static class SettingTables
{
    public static IEnumerable<Block> Make(MeasuredRun run)
    {
        var cells = run.Cells.Where(cell => UnixAgainstTcp.Holds(run, cell)).ToList();
        var settings = cells.Select(cell => cell.Key.Setting).Distinct().ToList();
        return from setting in settings.Skip(1)
               let rows = from cell in cells
                          where cell.Key.Setting == setting
                          let reference = cells.Find(other => other.Key.Setting == settings[0] && IsSameButSetting(cell, other))
                          where reference is not null
                          select ($"{cell.Key.Transport}: {UnixAgainstTcp.LoadWithoutSetting(cell)}", cell, reference)
               where rows.Any()
               select new Block
               {
                   Caption = $"{setting} against {(settings[0].Length > 0 ? settings[0] : "the default")}",
                   Table = UnixAgainstTcp.TableOf(run, rows),
               };
    }

    private static bool IsSameButSetting(MeasuredCell one, MeasuredCell other) =>
        one.Key with { Variant = "" } == other.Key with { Variant = "" } && one.Key.Work == other.Key.Work;
}
