using System.Text.Json.Serialization;
using IpcBench.Client.Doctor;

namespace IpcBench.Client.Cli;

/// <summary>The shape of <c>doctor --json</c>: an array of check, level, text and fix.</summary>
[JsonSourceGenerationOptions(WriteIndented = true, NewLine = "\n", PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true)]
[JsonSerializable(typeof(IReadOnlyList<Finding>))]
internal sealed partial class DoctorJson : JsonSerializerContext;
