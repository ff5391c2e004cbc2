using System.Text.Json.Serialization;

namespace IpcBench.Client.Doctor;

/// <summary>The severity of a finding. A run is likely to fail with a problem, but not with a warning.</summary>
internal enum Level
{
    [JsonStringEnumMemberName("ok")]
    Ok,

    [JsonStringEnumMemberName("warn")]
    Warn,

    [JsonStringEnumMemberName("problem")]
    Problem,
}
