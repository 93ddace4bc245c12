#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::hw {

/// A point in time that calls must be done by; nothing: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// The texts that a connection has sent so far.
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
  /// A text of up to `most` bytes; memory grows with what has come, not with the length that is
  /// claimed.
  [[nodiscard]] std::string receive(std::string& text, Deadline deadline,
                                    std::size_t most = kLongest) const;
  /// Reads what has come of the first text without waiting, into `bytes`; `text` when it is
  /// complete. Wrong: closed, or longer than `most`.
  [[nodiscard]] FirstText read_first(std::string& bytes, std::size_t most, std::string& text) const;
  [[nodiscard]] int socket() const { return socket_; }

  /// No text of a live run comes near.
  static constexpr std::size_t kLongest = std::size_t{1} << 30;
  static constexpr const char* kTimedOut = "no answer in time";

 private:
  int socket_ = -1;
};

/// Connects, and tries again until somebody listens there.
[[nodiscard]] std::string connect(TcpLink& link, const std::string& address, std::uint16_t port,
                                  Deadline deadline);

}  // namespace railyard::hw
