using System.Buffers;
using System.Diagnostics;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Echo;

/// <summary>
/// Sends every byte of a connection back as it comes, on the thread of an event loop: one receive and one send for a packet, no task, no
/// buffer of its own while its client reads.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopEchoConnection : ILoopHandler
{
    // What may wait for one client at a time, beside the system's own buffers.
    private const int MostAtOnce = 64 << 10;

    // Then the other connections have their turn.
    private const int MostReadsAtOnce = 8;

    private readonly LoopSocket _socket;
    private readonly Func<ValueTask>? _hold;
    private readonly Action<LoopEchoConnection> _onWaiting;
    private readonly Action<LoopEchoConnection> _onEnd;
    private byte[]? _kept;
    private int _keptStart;
    private int _keptEnd;
    private bool _isHeld;
    private bool _hungUp;
    private long _waitingSince;

    /// <summary>On the loop's thread.</summary>
    /// <param name="loop">Where it lives.</param>
    /// <param name="descriptor">The connection, which it closes.</param>
    /// <param name="hold">Makes each answer as slow as a test wants it; null for none.</param>
    /// <param name="onWaiting">Bytes wait for the client to read.</param>
    /// <param name="onEnd">It is closed.</param>
    public LoopEchoConnection(
        EventLoop loop, int descriptor, Func<ValueTask>? hold, Action<LoopEchoConnection> onWaiting, Action<LoopEchoConnection> onEnd)
    {
        (_hold, _onWaiting, _onEnd) = (hold, onWaiting, onEnd);
        _socket = LoopSocket.Take(loop, descriptor, this);
    }

    /// <summary>Bytes wait for a client that has not read for this long.</summary>
    public bool IsStalled(TimeSpan patience) => _waitingSince != 0 && Stopwatch.GetElapsedTime(_waitingSince) > patience;

    /// <summary>Bytes wait for the client to read.</summary>
    public bool IsWaiting => _waitingSince != 0;

    /// <summary>Closes it, whatever is on its way.</summary>
    public void End()
    {
        if (_socket.IsClosed)
            return;
        _socket.Close();
        Release();
        _onEnd(this);
    }

    public void OnReadable(bool hangUp)
    {
        _hungUp |= hangUp;
        if (_kept is null)
            Read();
    }

    public void OnWritable()
    {
        if (SendKept())
            Read();
    }

    private void Read()
    {
        for (var reads = 0; !_socket.IsClosed; reads++)
        {
            if (reads == MostReadsAtOnce)
            {
                _socket.ReadAgain();
                return;
            }
            var buffer = _socket.Loop.ReceiveBuffer.AsSpan(0, MostAtOnce);
            var count = _socket.Receive(buffer);
            if (count == LoopSocket.WouldBlock)
                return;
            if (count <= 0)
                End();
            // Less than asked for was all there was (epoll(7), on edge-triggered reads of stream sockets).
            else if (!Return(buffer[..count]) || (count < MostAtOnce && !_hungUp))
                return;
        }
    }

    /// <summary>False when bytes had to be kept: nothing more is read until they are sent.</summary>
    private bool Return(ReadOnlySpan<byte> bytes)
    {
        if (_hold?.Invoke() is { IsCompleted: false } held)
        {
            Keep(bytes);
            _isHeld = true;
            _ = SendAfterAsync(held);
            return false;
        }
        var sent = _socket.Send(bytes);
        if (sent == bytes.Length)
            return true;
        if (sent < 0 && sent != LoopSocket.WouldBlock)
        {
            End();
            return false;
        }
        Keep(bytes[Math.Max(0, sent)..]);
        Wait();
        return false;
    }

    private async Task SendAfterAsync(ValueTask held)
    {
        await held.ConfigureAwait(false);
        _socket.Loop.Post(static state => ((LoopEchoConnection)state!).Resume(), this);
    }

    private void Resume()
    {
        _isHeld = false;
        OnWritable();
    }

    /// <summary>True when nothing waits any more.</summary>
    private bool SendKept()
    {
        if (_kept is null || _isHeld)
            return false;
        var sent = _socket.Send(_kept.AsSpan(_keptStart, _keptEnd - _keptStart));
        if (sent < 0 && sent != LoopSocket.WouldBlock)
        {
            End();
            return false;
        }
        if (sent > 0)
            (_keptStart, _waitingSince) = (_keptStart + sent, 0);
        if (_keptStart < _keptEnd)
        {
            Wait();
            return false;
        }
        Release();
        return true;
    }

    private void Wait()
    {
        if (_waitingSince == 0)
            _waitingSince = Stopwatch.GetTimestamp();
        _socket.WantWritable();
        _onWaiting(this);
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        _kept = ArrayPool<byte>.Shared.Rent(bytes.Length);
        bytes.CopyTo(_kept);
        (_keptStart, _keptEnd) = (0, bytes.Length);
    }

    private void Release()
    {
        if (_kept is not null)
            ArrayPool<byte>.Shared.Return(_kept);
        (_kept, _waitingSince) = (null, 0);
    }
}
