namespace IpcBench.Transports.Loop;

/// <summary>What an <see cref="EpollSet"/> tells of events: a connection or a listening socket.</summary>
internal interface IWatched
{
    /// <summary>Called on the loop's thread.</summary>
    /// <param name="bits">epoll's EPOLLIN, EPOLLOUT and so on.</param>
    void OnEvents(uint bits);
}
