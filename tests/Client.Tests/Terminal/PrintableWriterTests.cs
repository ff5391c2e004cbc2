using IpcBench.Client.Terminal;

namespace IpcBench.Client.Tests.Terminal;

public sealed class PrintableWriterTests
{
    [Fact]
    public void Control_characters_are_left_out_of_every_kind_of_write()
    {
        using var terminal = new StringWriter { NewLine = "\n" };
        using (var writer = new PrintableWriter(terminal) { NewLine = "\n" })
        {
            writer.Write('\u001b');
            writer.Write("[2J\u202ea\u009b2J");
            writer.WriteLine("b\u001b]0;title\a");
            writer.Write("c\rd".ToCharArray());
            writer.Write("\u2066e".AsSpan());
            writer.WriteLine("{0}\u001bc", 5);
            writer.Write("\u001b[1mbold\u001b[0m");
        }
        Assert.Equal("[2Ja2Jb]0;title\ncde5c\n\u001b[1mbold\u001b[0m", terminal.ToString());
    }

    // The writers of the console are replaced there, and whoever opens its streams anew goes round them.
    [Fact]
    public void All_output_to_the_terminal_is_made_printable()
    {
        string[] ways =
            ["OpenStandardOutput", "OpenStandardError", "Console.SetOut", "Console.SetError", "/dev/tty", "/dev/stdout", "CONOUT$"];
        var found = Directory.EnumerateFiles(Path.Combine(Repository.Root, "src", "Client"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Split(Path.DirectorySeparatorChar).Contains("obj"))
            .Where(file => Array.Exists(ways, way => File.ReadAllText(file).Contains(way, StringComparison.Ordinal)))
            .Select(Path.GetFileName).Order();
        Assert.Equal(["StandardOutput.cs"], found);
    }
}
