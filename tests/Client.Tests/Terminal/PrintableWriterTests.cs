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

    // StandardOutput.cs replaces the console's writers. Code that opens the streams anew would bypass them.
    [Fact]
    public void Only_one_source_file_of_the_client_opens_the_output_streams_of_the_terminal()
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
