using System.Net.Sockets;
using IpcBench.Server.Tests.Support;
using Microsoft.AspNetCore.Connections.Features;
using Loops = IpcBench.LoopSockets.LoopSockets;

namespace IpcBench.Server.Tests;

/// <summary>Checks that one connection of a loop cannot keep the loop's other connections waiting.</summary>
public class LoopTurnTests
{
    private const string NoEpoll = "there is no epoll here";

    // The most bytes of one turn: 128 KiB, and up to 4 KiB more by the last system call.
    private const int MostInTurn = 132 << 10;

    [Fact]
    public async Task A_long_write_on_a_loops_thread_lets_other_connections_have_their_turn()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        const int size = 1 << 20;
        await using var transport = await BoundTransport.StartAsync(Support.Transports.LoopInline, overUnix: true, loops: 1);
        var (greedy, neighbour) = (await transport.ConnectAsync(), await transport.ConnectAsync());
        await using var writer = await transport.AcceptAsync();
        await using var reader = await transport.AcceptAsync();
        // A socket with so much room takes more at a time than a turn allows.
        writer.Features.Get<IConnectionSocketFeature>()!.Socket.SendBufferSize = size;

        // Both functions run on the loop's thread from their first wait on.
        async Task<int> ArrivedBeforeTheNeighboursTurnAsync()
        {
            var read = await reader.Transport.Input.ReadAsync().ConfigureAwait(false);
            reader.Transport.Input.AdvanceTo(read.Buffer.End);
            return greedy.Available;
        }
        async Task WriteAsync()
        {
            var read = await writer.Transport.Input.ReadAsync().ConfigureAwait(false);
            writer.Transport.Input.AdvanceTo(read.Buffer.End);
            neighbour.Send(new byte[1]);
            await writer.Transport.Output.WriteAsync(new byte[size]).ConfigureAwait(false);
        }
        var arrived = ArrivedBeforeTheNeighboursTurnAsync();
        var writing = WriteAsync();
        greedy.Send(new byte[1]);
        // A turn may begin with the rest of the write, before the loop asks for the neighbour's byte.
        Assert.InRange(await arrived.WaitAsync(Limits.Wait), 1, 2 * MostInTurn);
        for (var (left, buffer) = (size, new byte[64 << 10]); left > 0;)
            left -= await greedy.ReceiveAsync(buffer).WaitAsync(Limits.Wait);
        await writing.WaitAsync(Limits.Wait);
    }

    [Fact]
    public async Task A_connection_that_floods_its_loop_leaves_turns_to_the_other_connections()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var transport = await BoundTransport.StartAsync(
            Support.Transports.LoopInline, overUnix: true, most: 4 << 20, loops: 1);
        var (greedy, neighbour) = (await transport.ConnectAsync(), await transport.ConnectAsync());
        var starter = await transport.ConnectAsync();
        await using var flooded = await transport.AcceptAsync();
        await using var reader = await transport.AcceptAsync();
        await using var started = await transport.AcceptAsync();
        (greedy.SendBufferSize, greedy.Blocking) = (1 << 20, false);
        var received = 0L;

        // All functions run on the loop's thread from their first wait on.
        async Task CountAsync()
        {
            while (await flooded.Transport.Input.ReadAsync().ConfigureAwait(false) is { IsCompleted: false } read)
            {
                received += read.Buffer.Length;
                flooded.Transport.Input.AdvanceTo(read.Buffer.End);
            }
        }
        async Task<long> FloodAsync()
        {
            var read = await started.Transport.Input.ReadAsync().ConfigureAwait(false);
            started.Transport.Input.AdvanceTo(read.Buffer.End);
            var (sent, piece) = (0L, new byte[16 << 10]);
            for (int count; (count = greedy.Send(piece, SocketFlags.None, out var error)) > 0 && error == SocketError.Success;)
                sent += count;
            neighbour.Send(new byte[1]);
            return sent;
        }
        async Task<long> ReceivedBeforeTheNeighboursTurnAsync()
        {
            var read = await reader.Transport.Input.ReadAsync().ConfigureAwait(false);
            reader.Transport.Input.AdvanceTo(read.Buffer.End);
            return received;
        }
        var counting = CountAsync();
        var early = ReceivedBeforeTheNeighboursTurnAsync();
        var flooding = FloodAsync();
        starter.Send(new byte[1]);
        var sent = await flooding.WaitAsync(Limits.Wait);
        Assert.InRange(sent, MostInTurn + 1, long.MaxValue);
        Assert.InRange(await early.WaitAsync(Limits.Wait), 1, MostInTurn);
        greedy.Dispose();
        await counting.WaitAsync(Limits.Wait);
        Assert.Equal(sent, received);
    }
}
