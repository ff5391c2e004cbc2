using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Schema;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks names and messages of a server's reflection that are shown on a terminal.</summary>
public sealed class HostileReflectionTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Service_names_are_printed_on_one_line_without_control_characters()
    {
        await using var server = Answering(
            new() { ListServicesResponse = new() { Service = { new ServiceResponse { Name = "a.B\e[2J\r\nc.D" } } } },
            new() { ErrorResponse = new() { ErrorCode = 13, ErrorMessage = "bad\e[31m\nthing" } });
        var warnings = new StringWriter();
        var services = await ServiceTypes.ListAsync(new() { Server = server.Address }, warnings, Cancel);
        Assert.Equal(["a.B [2J  c.D"], services.Lines);
        Assert.False(services.AnyDescribed);
        Assert.Equal($"the reflection of {server.Address} does not give a.B [2J  c.D: bad [31m thing (status 13)", $"{warnings}".TrimEnd());
    }

    [Fact]
    public async Task A_listed_service_with_a_wrong_file_is_reported()
    {
        var file = new FileDescriptorProto { Name = "other.proto", Package = "other", Syntax = "proto3" };
        await using var server = Answering(
            new() { ListServicesResponse = new() { Service = { new ServiceResponse { Name = "a.B" } } } },
            new() { FileDescriptorResponse = new() { FileDescriptorProto = { file.ToByteString() } } });
        var warnings = new StringWriter();
        Assert.Equal(["a.B"], (await ServiceTypes.ListAsync(new() { Server = server.Address }, warnings, Cancel)).Lines);
        Assert.Equal($"the reflection of {server.Address} does not give the file of a.B", $"{warnings}".TrimEnd());
    }

    [Fact]
    public async Task A_reflection_without_services_is_reported()
    {
        await using var server = Answering(new ServerReflectionResponse { ListServicesResponse = new() });
        var told = await Assert.ThrowsAsync<SchemaException>(
            () => ServiceTypes.ListAsync(new() { Server = server.Address }, new StringWriter(), Cancel));
        Assert.Equal($"the reflection of {server.Address} lists no service", told.Message);
    }

    [Theory]
    [InlineData("a\e[2J")]
    [InlineData("a.\u202eb")]
    [InlineData("a..b")]
    [InlineData("a b")]
    public async Task A_package_with_an_invalid_name_is_rejected(string package)
    {
        var file = new FileDescriptorProto
        {
            Name = "a.proto",
            Package = package,
            Syntax = "proto3",
            MessageType = { new DescriptorProto { Name = "M" } },
        };
        await using var server = Answering(
            new ServerReflectionResponse { FileDescriptorResponse = new() { FileDescriptorProto = { file.ToByteString() } } });
        var told = await Assert.ThrowsAsync<SchemaException>(
            () => ServiceTypes.DescribeAsync(new TypeSource { Server = server.Address }, "a.M", Cancel));
        Assert.Equal(
            $"a file of the reflection of {server.Address} has a package with an invalid name: a valid name is shop.v1", told.Message);
    }

    [Fact]
    public async Task Types_that_are_nested_too_deeply_are_reported()
    {
        var type = new DescriptorProto { Name = "M" };
        for (var level = 0; level < 1000; level++)
            type = new DescriptorProto { Name = "M", NestedType = { type } };
        var file = new FileDescriptorProto { Name = "a.proto", Package = "a", Syntax = "proto3", MessageType = { type } };
        await using var server = Answering(
            new ServerReflectionResponse { FileDescriptorResponse = new() { FileDescriptorProto = { file.ToByteString() } } });
        var told = await Assert.ThrowsAsync<SchemaException>(
            () => ServiceTypes.DescribeAsync(new TypeSource { Server = server.Address }, "a.M", Cancel));
        Assert.Equal(
            $"the reflection of {server.Address} has types that are nested deeper than about 100 levels, which cannot be read",
            told.Message);
    }

    [Fact]
    public async Task Metadata_that_the_reflection_repeats_stays_hidden()
    {
        await using var server = Answering(new ServerReflectionResponse
        {
            ErrorResponse = new() { ErrorCode = 16, ErrorMessage = "Bearer s3cr3t-token is no token" },
        });
        var source = new TypeSource { Server = server.Address, Metadata = [new MetadataEntry("authorization", "Bearer s3cr3t-token")] };
        var told = await Assert.ThrowsAsync<SchemaException>(() => ServiceTypes.DescribeAsync(source, "a.B", Cancel));
        Assert.Equal($"the reflection of {server.Address} does not give a.B: (hidden) is no token (status 16)", told.Message);
    }

    [Theory]
    [InlineData("a\e[2J.proto")]
    [InlineData("a.proto\nmessage Fake {}")]
    public async Task A_file_name_with_control_characters_is_refused(string name)
    {
        var file = new FileDescriptorProto
        {
            Name = name,
            Package = "a",
            Syntax = "proto3",
            MessageType = { new DescriptorProto { Name = "M" } },
        };
        await using var server = Answering(
            new ServerReflectionResponse { FileDescriptorResponse = new() { FileDescriptorProto = { file.ToByteString() } } });
        var told = await Assert.ThrowsAsync<SchemaException>(
            () => ServiceTypes.DescribeAsync(new TypeSource { Server = server.Address }, "a.M", Cancel));
        Assert.Equal($"a file of the reflection of {server.Address} has a name with control characters", told.Message);
    }

    private static FakeServer Answering(params ServerReflectionResponse[] replies) => new()
    {
        Answer = (stream, call) => Frames.Reply(stream, replies[Math.Min(call, replies.Length) - 1].ToByteArray()),
    };
}
