namespace IpcBench.Http2;

/// <summary>Identifiers of settings (RFC 9113, 6.5.2).</summary>
public enum SettingId : ushort
{
    HeaderTableSize = 1,
    EnablePush = 2,
    MaxConcurrentStreams = 3,
    InitialWindowSize = 4,
    MaxFrameSize = 5,
    MaxHeaderListSize = 6,
}
