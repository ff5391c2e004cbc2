using System.Text.Json.Serialization;

namespace IpcBench.Client.Doctor;

/// <summary>The severity of a finding. Only a problem stops a run.</summary>
internal enum Level
{
    [JsonStringEnumMemberName("ok")]
    Ok,

    [JsonStringEnumMemberName("warn")]
    Warn,

    [JsonStringEnumMemberName("problem")]
    Problem,
}
