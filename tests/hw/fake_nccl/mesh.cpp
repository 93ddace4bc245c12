#include "tests/hw/fake_nccl/mesh.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fake {
namespace {

struct Address {
  sockaddr_un socket{};
  socklen_t length = 0;
};

/// In the abstract name space: gone when its sockets are.
Address address_of(const std::string& id, int rank) {
  const std::string name = "railyard-fake-" + id + "-" + std::to_string(rank);
  Address address;
  address.socket.sun_family = AF_UNIX;
  std::memcpy(address.socket.sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

bool write_all(int socket, const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = ::send(socket, at, count, MSG_NOSIGNAL);
    if (written <= 0) return false;
    at += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int socket, void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = ::recv(socket, at, count, 0);
    if (got <= 0) return false;
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

int connected(const std::string& id, int peer, std::int32_t rank) {
  const Address address = address_of(id, peer);
  for (;;) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address.socket), address.length) == 0) {
      (void)write_all(socket, &rank, sizeof rank);
      return socket;
    }
    close(socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Mesh::Mesh(const std::string& id, int rank, int ranks)
    : rank_(rank), in_(static_cast<std::size_t>(ranks), -1), out_(in_) {
  const Address own = address_of(id, rank);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  (void)bind(listener, reinterpret_cast<const sockaddr*>(&own.socket), own.length);
  (void)listen(listener, ranks + 1);
  for (int peer = 0; peer < ranks; ++peer)
    out_[static_cast<std::size_t>(peer)] = connected(id, peer, rank);
  for (int i = 0; i < ranks; ++i) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    std::int32_t peer = -1;
    if (read_all(socket, &peer, sizeof peer)) in_[static_cast<std::size_t>(peer)] = socket;
  }
  close(listener);
  // All of them before the first thread, which reads the vector.
  for (int peer = 0; peer < ranks; ++peer) writers_.push_back(std::make_unique<Writer>());
  for (int peer = 0; peer < ranks; ++peer)
    writers_[static_cast<std::size_t>(peer)]->thread =
        std::thread([this, peer] { write_queue(peer); });
}

Mesh::~Mesh() {
  for (const auto& writer : writers_) {
    {
      const std::lock_guard lock(writer->mutex);
      writer->stop = true;
    }
    writer->changed.notify_all();
  }
  for (const auto& writer : writers_) writer->thread.join();
  for (const int socket : in_) close(socket);
  for (const int socket : out_) close(socket);
}

void Mesh::write_queue(int peer) {
  Writer& writer = *writers_[static_cast<std::size_t>(peer)];
  std::unique_lock lock(writer.mutex);
  for (;;) {
    writer.changed.wait(lock, [&] { return writer.stop || !writer.queue.empty(); });
    if (writer.queue.empty()) return;
    const std::vector<std::byte> bytes = std::move(writer.queue.front());
    writer.queue.pop_front();
    lock.unlock();
    const std::uint64_t length = bytes.size();
    const int socket = out_[static_cast<std::size_t>(peer)];
    const bool sent =
        write_all(socket, &length, sizeof length) && write_all(socket, bytes.data(), bytes.size());
    lock.lock();
    if (!sent) writer.queue.clear();
  }
}

void Mesh::send(int peer, const void* bytes, std::size_t count) {
  Writer& writer = *writers_[static_cast<std::size_t>(peer)];
  const auto* from = static_cast<const std::byte*>(bytes);
  {
    const std::lock_guard lock(writer.mutex);
    writer.queue.emplace_back(from, from + count);
  }
  writer.changed.notify_all();
}

bool Mesh::receive(int peer, void* bytes, std::size_t count) {
  const int socket = in_[static_cast<std::size_t>(peer)];
  std::uint64_t length = 0;
  return read_all(socket, &length, sizeof length) && length == count &&
         read_all(socket, bytes, count);
}

void Mesh::abort() {
  aborted_ = true;
  for (const int socket : in_) (void)shutdown(socket, SHUT_RDWR);
  for (const int socket : out_) (void)shutdown(socket, SHUT_RDWR);
}

}  // namespace fake
