#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::hw {

/// A point in time that calls must be done by; nothing: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// A connected TCP socket that carries texts, each with its length before it. Functions return an
/// error text, "" when all went well; who it was is the caller's to say.
class TcpLink {
 public:
  TcpLink() = default;
  explicit TcpLink(int socket);
  ~TcpLink();
  TcpLink(TcpLink&& other) noexcept;
  TcpLink& operator=(TcpLink&& other) noexcept;

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  [[nodiscard]] std::string send(std::string_view text, Deadline deadline) const;
  [[nodiscard]] std::string receive(std::string& text, Deadline deadline) const;

 private:
  int socket_ = -1;
};

/// A socket that listens on a port of all addresses.
class TcpListener {
 public:
  TcpListener() = default;
  ~TcpListener();
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  [[nodiscard]] std::string listen(std::uint16_t port);
  [[nodiscard]] std::string accept(TcpLink& link, Deadline deadline) const;

 private:
  int socket_ = -1;
};

/// Connects, and tries again until somebody listens there.
[[nodiscard]] std::string connect(TcpLink& link, const std::string& address, std::uint16_t port,
                                  Deadline deadline);

}  // namespace railyard::hw
