#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::hw {

/// A time limit for calls; nothing: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// State of the first text of a connection.
enum class FirstText { incomplete, complete, wrong };

/// A connected stream socket (TCP, or one of a socketpair) that carries texts, each preceded by its
/// length. Functions return an error text, or "" on success; the caller adds the peer's name.
class TcpLink {
 public:
  TcpLink() = default;
  explicit TcpLink(int socket);
  ~TcpLink();
  TcpLink(TcpLink&& other) noexcept;
  TcpLink& operator=(TcpLink&& other) noexcept;

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  [[nodiscard]] std::string send(std::string_view text, Deadline deadline) const;
  /// Receives a text of up to `most` bytes. Memory grows with the received bytes, not with the
  /// announced length.
  [[nodiscard]] std::string receive(std::string& text, Deadline deadline,
                                    std::size_t most = kLongest) const;
  /// Reads available bytes of the first text into `bytes` without waiting; sets `text` when it is
  /// complete. Returns `wrong` if the connection is closed or the text is longer than `most`.
  [[nodiscard]] FirstText read_first(std::string& bytes, std::size_t most, std::string& text) const;
  [[nodiscard]] int socket() const { return socket_; }

  /// Far above the length of any text in a live run.
  static constexpr std::size_t kLongest = std::size_t{1} << 30;
  static constexpr const char* kTimedOut = "no answer in time";

 private:
  int socket_ = -1;
};

/// Connects, retrying until somebody listens there.
[[nodiscard]] std::string connect(TcpLink& link, const std::string& address, std::uint16_t port,
                                  Deadline deadline);

}  // namespace railyard::hw
