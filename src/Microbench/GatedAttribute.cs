namespace IpcBench.Microbench;

/// <summary>Marks benchmarks whose allocated bytes are exact, because nothing but the operation runs meanwhile: they may gate.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class GatedAttribute : Attribute;
