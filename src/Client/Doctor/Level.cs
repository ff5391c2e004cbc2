using System.Text.Json.Serialization;

namespace IpcBench.Client.Doctor;

/// <summary>How bad a finding is: only a problem stops a run.</summary>
internal enum Level
{
    [JsonStringEnumMemberName("ok")]
    Ok,

    [JsonStringEnumMemberName("warn")]
    Warn,

    [JsonStringEnumMemberName("problem")]
    Problem,
}
