#pragma once

#include <memory>
#include <string>

#include "hw/live_backend.hpp"
#include "hw/nccl/gpu_rank.hpp"

namespace railyard::hw::nccl {

/// NCCL over a world: each process has one or several GPUs, with a thread for each. A single
/// process uses all visible GPUs; of several processes each uses one, unless LiveOptions::ranks
/// requires more.
class NcclBackend final : public LiveBackend {
 public:
  /// Loads the libraries, selects the GPUs and makes the communicator. Throws BackendError with
  /// host, rank and call.
  NcclBackend(std::unique_ptr<World> world, const LiveOptions& options);
  ~NcclBackend() override;

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  [[nodiscard]] World& world() override;
  [[nodiscard]] std::uint32_t ranks() const override;
  [[nodiscard]] std::uint32_t process_of(std::uint32_t rank) const override;
  [[nodiscard]] std::string why_not(const LiveTask& task) const override;
  [[nodiscard]] std::unique_ptr<LiveRun> prepare(const LiveTask& task) override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> facts() const override;
  [[nodiscard]] std::optional<LibraryChoice> choice(const LiveTask& task) const override;
  [[nodiscard]] std::vector<std::string> notes() const override;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace railyard::hw::nccl
