using System.Text;
using IpcBench.Transports;

namespace IpcBench.Client.Doctor;

/// <summary>Checks of addresses, folders and certificates.</summary>
internal static class PlaceChecks
{
    /// <summary>
    /// The longest path of the temporary folder in bytes. A socket path has at most 107 bytes, and a final NUL
    /// (unix(7)). Up to 40 of these bytes are the name of a private socket (<c>CoreFxPipe_grpcbench-</c>, a process id,
    /// a dash and 8 letters).
    /// </summary>
    private const int LongestTemp = 107 - 40;

    public static Finding Temp(DoctorFacts facts)
    {
        if (facts.TempFailure.Length > 0)
        {
            return new("temp-folder", Level.Problem, $"{facts.TempFolder} cannot be written: {facts.TempFailure}",
                "set TMPDIR (Windows: TMP) to a folder that you may write to");
        }
        return Encoding.UTF8.GetByteCount(facts.TempFolder) <= LongestTemp
            ? new("temp-folder", Level.Ok, $"{facts.TempFolder} is writable")
            : new("temp-folder", Level.Problem, $"the path of {facts.TempFolder} is too long for socket files",
                "set TMPDIR (Windows: TMP) to a short path");
    }

    public static Finding Results(DoctorFacts facts) => facts.Options.ResultsFolder switch
    {
        null => new("results-folder", Level.Ok, "no results file will be written"),
        var folder when facts.ResultsFailure.Length > 0 => new("results-folder", Level.Problem,
            $"{folder} cannot be written: {facts.ResultsFailure}",
            "name another file with -o, or run with --no-save"),
        var folder => new("results-folder", Level.Ok, $"{folder} is writable"),
    };

    public static Finding Certificates(DoctorFacts facts) => facts.CertificateFailure switch
    {
        null => new("certificates", Level.Ok, "no certificate is needed"),
        "" => new("certificates", Level.Ok, "a certificate for https can be made"),
        var failure => new("certificates", Level.Warn, $"this system cannot make a certificate: {failure}",
            "leave tls out of --transports; the other transports work"),
    };

    /// <summary>Returns one finding for each server to measure.</summary>
    public static IEnumerable<Finding> Targets(DoctorFacts facts) =>
        facts.Options.Targets.Select(address => Target(address, facts.Addresses.GetValueOrDefault(address)));

    /// <summary>Returns one finding for each of the server's default addresses.</summary>
    public static IEnumerable<Finding> Neighbours(DoctorFacts facts) =>
        facts.Options.Neighbours.Select(address => Neighbour(address, facts.Addresses.GetValueOrDefault(address)));

    private static Finding Target(Address address, AddressState state) => state switch
    {
        AddressState.Answers => new("server", Level.Ok, $"a server answers at {address}"),
        AddressState.NotHere => new("server", Level.Problem, $"this system does not have the transport of {address}",
            "use another address"),
        AddressState.Denied => new("server", Level.Problem, $"{address} belongs to another user, and this user may not open it",
            "run as the server's user, or start the server as this user"),
        AddressState.Stale => new("server", Level.Problem, $"{address} is left over from a server that has ended",
            "start the server, which replaces the file"),
        _ => new("server", Level.Problem, $"no server answers at {address}",
            "is your server running, and does it listen there? Without -U this tool starts a server of its own"),
    };

    private static Finding Neighbour(Address address, AddressState state) => state switch
    {
        AddressState.Free => new("address", Level.Ok, $"{address} is free"),
        AddressState.NotHere => new("address", Level.Ok, $"this system does not have the transport of {address}"),
        AddressState.Answers => new("address", Level.Ok, $"a server already listens at {address}: measure that server with -U {address}"),
        AddressState.Denied => new("address", Level.Warn, $"{address} belongs to another user, and this user may not open it",
            "give the server another address with --listen"),
        AddressState.Stale => new("address", Level.Warn, $"{address} is left over from a server that has ended",
            $"the next server replaces the file; or rm {address.SocketFile}"),
        _ => new("address", Level.Warn, $"the file at {address} is not a socket",
            "move the file away, or give the server another address with --listen"),
    };
}
