namespace IpcBench.Client.Profile;

/// <summary>Samples of processes, which are taken from the start of the recording until <see cref="StopAsync"/>.</summary>
internal interface IRecording : IAsyncDisposable
{
    /// <summary>Ends the sampling. The samples can be read afterwards.</summary>
    /// <exception cref="IOException">The sampling does not end.</exception>
    /// <exception cref="InvalidDataException">There are too many samples.</exception>
    Task StopAsync();

    /// <summary>Reads the samples. They can be read only once.</summary>
    /// <exception cref="IOException">There are no samples.</exception>
    /// <exception cref="InvalidDataException">The samples have an unknown form.</exception>
    IAsyncEnumerable<StackSample> ReadAsync();
}
