namespace IpcBench.Host.Tests;

public class RuntimeVariablesTests
{
    [Theory]
    [InlineData("DOTNET_TieredPGO", true)]
    [InlineData("dotnet_tieredpgo", true)]
    [InlineData("COMPlus_gcServer", true)]
    [InlineData("DOTNET_ApiKey", false)]
    [InlineData("DOTNET_STARTUP_HOOKS", false)]
    [InlineData("TieredPGO", false)]
    [InlineData("DOTNET_", false)]
    public void Only_known_variables_are_reported(string name, bool known) => Assert.Equal(known, RuntimeVariables.IsKnown(name));

    [Theory]
    [InlineData("backlog", true)]
    [InlineData("env:DOTNET_TieredPGO", true)]
    [InlineData("env:DOTNET_ApiKey", false)]
    [InlineData("ENV:DOTNET_ApiKey", false)]
    [InlineData("env:PATH", false)]
    [InlineData("pipe-listeners", true)]
    [InlineData("DB_PASSWORD", false)]
    [InlineData("Authorization", false)]
    [InlineData("two words", false)]
    [InlineData("a-name-of-more-characters-than-a-knob-has", false)]
    [InlineData("", false)]
    public void Only_knobs_and_known_variables_of_a_server_are_kept(string name, bool kept) =>
        Assert.Equal(kept, RuntimeVariables.MayKeep(name));
}
