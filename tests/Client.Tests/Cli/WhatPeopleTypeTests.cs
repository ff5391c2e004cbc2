using System.CommandLine;
using System.CommandLine.Help;
using IpcBench.Client.Cli;
using IpcBench.Client.Commands;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

/// <summary>Checks words that other tools accept, in the places where users type them.</summary>
public class WhatPeopleTypeTests
{
    [Theory]
    [InlineData("help", "--help")]
    [InlineData("help load", "--help load")]
    [InlineData("help ab", "ab --help")]
    [InlineData("http://localhost:5117 --quick", "-U http://localhost:5117 --quick")]
    [InlineData("--call a.B.C localhost:5117 unix:/tmp/x.sock", "--call a.B.C -U localhost:5117 -U unix:/tmp/x.sock")]
    [InlineData("-U http://localhost:5117", "-U http://localhost:5117")]
    [InlineData("http http://localhost:8080/", "http http://localhost:8080/")]
    [InlineData("serv", "serv")]
    public void The_word_help_means_the_option_help_and_an_address_alone_means_a_given_server(string typed, string meant) =>
        Assert.Equal(meant, string.Join(' ', CommandTree.Meant(typed.Split(' '))));

    [Fact]
    public void An_empty_word_is_no_address() => Assert.Equal(["--", ""], CommandTree.Meant(["--", ""]));

    [Fact]
    public void A_host_with_a_port_is_an_address() => Assert.Equal("http://localhost:5117", Parsers.Address("localhost:5117").ToString());

    [Fact]
    public void Help_about_a_word_lists_the_group_of_that_name_or_the_options_that_mention_the_word()
    {
        var load = GroupedHelp.About(CommandTree.Create([]), "load");
        Assert.All(new[] { "-R", "--load", "--my-rate", "--find" }, option => Assert.Contains(load, line => line.Contains(option)));
        Assert.DoesNotContain(load, line => line.Contains("--describe"));
        Assert.Contains(GroupedHelp.About(CommandTree.Create([]), "protoc"), line => line.Contains("--proto FILE"));
        Assert.Contains(
            GroupedHelp.About(CommandTree.Create([]), "words"), line => line.StartsWith("  unattributed", StringComparison.Ordinal));
        Assert.Throws<UsageException>(() => GroupedHelp.About(CommandTree.Create([]), "nothing-like-it"));
    }

    [Theory]
    [InlineData(80, "  -r, --rounds N          rounds of every cell")]
    [InlineData(50, "  -r, --rounds N|      rounds of every cell")]
    public void A_narrow_terminal_has_the_description_of_an_option_below_its_name(int width, string lines) =>
        Assert.Equal(lines, string.Join('|', GroupedHelp.Row("-r, --rounds N", "rounds of every cell", width)));

    [Fact]
    public void Every_option_of_a_command_that_measures_has_a_place_in_the_help()
    {
        var root = CommandTree.Create([]);
        var measuring = root.Subcommands.Append(root).Where(command => command.Options.Any(option => option.Name == "-d")).ToList();
        Assert.True(measuring.Count > 5);
        Assert.All(measuring.SelectMany(command => command.Options),
            option => Assert.True(option is IPlacedOption or HelpOption or VersionOption || option.Hidden, option.Name));
    }

    [Theory]
    [InlineData("--call shop.Cart/Add", true)]
    [InlineData("--call shop.Cart.Add", true)]
    [InlineData("--call shop.Cart.Add -U localhost:5117", false)]
    [InlineData("--call ipcbench.v1.Bench/Download", false)]
    public void The_error_of_a_method_without_a_server_asks_for_the_server(string typed, bool isRefused)
    {
        var options = new RunCommandOptions(Preset.Main);
        var service = new ServiceOptions();
        var command = new System.CommandLine.RootCommand();
        foreach (var option in options.Offered.Concat(service.Offered))
            command.Options.Add(option);
        var refused = Record.Exception(() => new RunOptionsReader(options, command.Parse(typed), service: service).Read());
        const string Advice =
            "--call shop.Cart/Add needs your server: name the server with -U, e.g. -U http://localhost:5000";
        Assert.Equal(isRefused ? Advice : null, refused?.Message);
    }
}
