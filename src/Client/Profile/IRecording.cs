namespace IpcBench.Client.Profile;

/// <summary>Samples of processes, which are taken from the start of the recording until <see cref="StopAsync"/>.</summary>
internal interface IRecording : IAsyncDisposable
{
    /// <summary>Ends the sampling. The samples can be read afterwards.</summary>
    /// <exception cref="IOException">The sampling does not end.</exception>
    Task StopAsync();

    /// <summary>Reads the samples. They can be read only once.</summary>
    /// <exception cref="IOException">There are no samples.</exception>
    IAsyncEnumerable<StackSample> ReadAsync();
}
