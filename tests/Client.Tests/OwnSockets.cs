using System.Runtime.CompilerServices;

namespace IpcBench.Client.Tests;

/// <summary>
/// Sets the variables of .NET's sockets to the values that .NET uses on a machine with up to 45 CPUs. Otherwise a run inside this
/// process would set them, and the sockets of all tests and of all servers started later would depend on the order of the tests.
/// </summary>
internal static class OwnSockets
{
    [ModuleInitializer]
    internal static void Keep()
    {
        Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "0");
        Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT", "1");
    }
}
