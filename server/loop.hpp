// The thread that serves, and all it owns: the engine, the listeners, the clients' connections.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <respkit/server/connection.hpp>
#include <respkit/server/inner_client.hpp>
#include <respkit/server/listener.hpp>
#include <respkit/server/mock.hpp>
#include <respkit/server/poller.hpp>

namespace respkit {

// Members are destroyed bottom up: connections before the loop that their sockets are registered with, the
// thread first of all.
class loop {
public:
    explicit loop(mock_options o);
    ~loop();

    // For any thread.

    // Runs f on the loop thread and returns what it returns.
    template <class F>
    auto ask(F f) {
        if (io_.get_executor().running_in_this_thread())
            throw std::logic_error(
                "respkit::mock: called from the server's own thread, which cannot wait for itself");
        std::packaged_task<decltype(f())()> task(std::move(f));
        auto answer = task.get_future();
        boost::asio::post(io_, std::move(task));
        return answer.get();
    }
    // To be called when the clock has been moved.
    void wake();

    respkit::clock time;
    std::string host, unix_path, password;  // never change
    int port = 0;

    // For the loop thread.

    engine core;
    inner_client client{core};  // behind run()
    std::function<void(std::string_view)> on_failure;

    int connect();  // the client's end of a socket pair
    std::size_t kill_clients();
    void stop_accepting();
    void accept_again();
    void restart(std::chrono::microseconds downtime);
    void reset();

private:
    void admit(int descriptor, peer who);
    void run_due();
    void come_back();
    void arm_timer();

    // Only the loop's thread touches what is registered with it; others just post.
    boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> alive_{io_.get_executor()};
    boost::asio::steady_timer timer_{io_};
    loop_buffers buffers_;
    poller poller_{io_};
    std::optional<listener> tcp_, unix_;
    bool accepting_ = true;
    std::optional<respkit::clock::time_point> back_at_;  // when a restart is over
    std::list<connection> connections_;
    std::thread thread_;
};

}  // namespace respkit
