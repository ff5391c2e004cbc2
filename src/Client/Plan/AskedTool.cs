namespace IpcBench.Client.Plan;

/// <summary>The tool that each server's calls use.</summary>
/// <param name="Name">Null for the only tool of the server.</param>
/// <param name="Arguments">A JSON object on one line.</param>
internal sealed record AskedTool(string? Name, string Arguments);
