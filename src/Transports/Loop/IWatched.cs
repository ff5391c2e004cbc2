namespace IpcBench.Transports.Loop;

/// <summary>A connection or a listening socket to which an <see cref="EpollSet"/> reports events.</summary>
internal interface IWatched
{
    /// <summary>Called on the loop's thread when there are events.</summary>
    /// <param name="bits">The event mask of epoll: EPOLLIN, EPOLLOUT and so on.</param>
    void OnEvents(uint bits);
}
