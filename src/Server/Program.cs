using IpcBench.Server;

return await ServerCommand.RunAsync(args);
