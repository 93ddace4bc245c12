#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fake {

/// The connections of one rank with all others, over abstract Unix sockets, so that threads and
/// processes of a machine are alike. Sends are buffered without limit; receives wait.
class Mesh {
 public:
  /// Waits until all ranks of the communicator are there.
  Mesh(const std::string& id, int rank, int ranks);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  void send(int peer, const void* bytes, std::size_t count);
  /// False where the peer is gone, what comes has another length, or abort() was called.
  [[nodiscard]] bool receive(int peer, void* bytes, std::size_t count);
  /// Wakes who waits; nothing is received any more.
  void abort();
  [[nodiscard]] bool is_aborted() const { return aborted_; }

 private:
  struct Writer {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::vector<std::byte>> queue;
    bool stop = false;
    std::thread thread;
  };
  void write_queue(int peer);

  int rank_;
  std::vector<int> in_, out_;  ///< sockets by peer; that of the own rank is a pair with itself
  std::vector<std::unique_ptr<Writer>> writers_;
  std::atomic<bool> aborted_{false};
};

}  // namespace fake
