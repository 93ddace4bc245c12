#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {

/// Host and process id of a process of a live run.
struct ProcessPlace {
  std::string host;
  std::int64_t pid = 0;
  /// Identifies the running kernel: equal on network namespaces and containers of one machine.
  std::string machine;
};

/// The processes of a live run, and their communication before, between and after measurements
/// (never during). One implementation per way to start: a single process, MPI, or the
/// RANK/WORLD_SIZE/MASTER_ADDR convention. All calls except the getters are collective: every
/// process makes the same calls in the same order. They throw BackendError with host, process and
/// call.
class World {
 public:
  virtual ~World() = default;

  /// "alone", "mpi", "tcp".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::uint32_t process() const = 0;
  [[nodiscard]] virtual std::uint32_t processes() const = 0;
  /// By process, in order.
  [[nodiscard]] virtual const std::vector<ProcessPlace>& places() const = 0;

  virtual void barrier() = 0;
  /// The texts of all processes, in order, at process 0; empty on others. Lengths may differ.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view mine) = 0;
  /// The text of process 0; texts of others are ignored.
  [[nodiscard]] virtual std::string broadcast(std::string_view mine) = 0;
  /// Clock of this process with nanosecond resolution, on process 0's time as well as messages can
  /// determine the offset.
  [[nodiscard]] virtual Time now() const = 0;
};

/// "host h1, rank 3" for messages.
[[nodiscard]] std::string place_text(const World& world, std::uint32_t process);

/// Host and process id of this process, from the kernel.
[[nodiscard]] ProcessPlace own_place();

/// The world of a run with a single process.
class SingleProcessWorld final : public World {
 public:
  SingleProcessWorld();
  [[nodiscard]] std::string_view name() const override { return "alone"; }
  [[nodiscard]] std::uint32_t process() const override { return 0; }
  [[nodiscard]] std::uint32_t processes() const override { return 1; }
  [[nodiscard]] const std::vector<ProcessPlace>& places() const override { return places_; }
  void barrier() override {}
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    return {std::string(mine)};
  }
  [[nodiscard]] std::string broadcast(std::string_view mine) override { return std::string(mine); }
  [[nodiscard]] Time now() const override;

 private:
  std::vector<ProcessPlace> places_;
  std::int64_t epoch_ns_;
};

}  // namespace railyard::hw
