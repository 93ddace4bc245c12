#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hw/world/tcp_link.hpp"

namespace railyard::hw {

/// Accepts connections and reads the first text of each, all concurrently, so that a silent client
/// delays nobody. A connection is closed if its first text is not recognised, is longer than 1 KiB
/// or is not complete within 5 s. With more than 256 connections without a text the oldest is
/// closed. Not thread-safe.
class Reception {
 public:
  /// Whether a first text comes from a process of this run.
  using Recognise = std::function<bool(const std::string& text)>;
  explicit Reception(Recognise recognise) : recognise_(std::move(recognise)) {}
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  /// Listens on these numeric addresses (none: all of this host); port 0 chooses a free one.
  /// Returns an error text, or "".
  [[nodiscard]] std::string listen(const std::vector<std::string>& addresses, std::uint16_t port);
  [[nodiscard]] std::uint16_t port() const { return port_; }

  struct Arrival {
    TcpLink link;
    std::string text;
  };
  /// Waits for the next recognised connection. Returns an error text, or "".
  [[nodiscard]] std::string next(Arrival& arrival, Deadline deadline);
  /// Number of connections that were closed because their text was not recognised.
  [[nodiscard]] std::size_t rejected_connections() const { return rejected_connections_; }

 private:
  struct Pending {
    TcpLink link;
    std::string bytes;
    std::chrono::steady_clock::time_point until;
  };
  void admit(int listener);
  void drop(std::size_t index);
  void drop_late();
  [[nodiscard]] int wait_ms(Deadline deadline) const;

  Recognise recognise_;
  std::vector<int> listeners_;
  std::uint16_t port_ = 0;
  std::vector<Pending> pending_;  ///< oldest first
  std::size_t rejected_connections_ = 0;
};

}  // namespace railyard::hw
