#include "hw/nccl/nccl_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/diagnostic.hpp"
#include "hw/nccl/log_file.hpp"
#include "hw/nccl/rank_threads.hpp"
#include "hw/world/agreement.hpp"

namespace railyard::hw::nccl {
namespace {

/// NCCL 2.30 environment documentation: several ranks on one GPU.
constexpr const char* kShareVariable = "NCCL_MULTI_RANK_GPU_ENABLE";

/// The devices of this process's ranks.
struct Devices {
  std::vector<int> of_rank;
  bool shared = false;
};

/// Index of this process among those of its host: LOCAL_RANK, or from the places of all processes.
int local_number(const World& world) {
  if (const char* told = std::getenv("LOCAL_RANK"); told != nullptr) return std::atoi(told);
  const auto& places = world.places();
  const ProcessPlace& own = places[world.process()];
  int before = 0;
  for (std::uint32_t process = 0; process < world.process(); ++process)
    before += places[process].host == own.host && places[process].machine == own.machine ? 1 : 0;
  return before;
}

Devices choose_devices(const LiveOptions& options, const World& world, int visible) {
  const std::uint32_t processes = world.processes();
  if (options.ranks % processes != 0) {
    throw InputError(
        "", "--gpus",
        fmt::format("{} ranks do not divide over {} processes", options.ranks, processes));
  }
  const auto asked = static_cast<int>(options.ranks / processes);
  const int mine = asked != 0 ? asked : processes == 1 ? std::max(visible, 1) : 1;
  int first = local_number(world) * mine;
  // If a launcher shows each process only its own GPUs, they are numbered from 0.
  if (first >= visible && mine <= visible && std::getenv("CUDA_VISIBLE_DEVICES") != nullptr &&
      !options.gpu.share)
    first = 0;
  Devices devices;
  for (int device = first; device < first + mine; ++device) {
    devices.shared |= options.gpu.share && device >= visible;
    devices.of_rank.push_back(options.gpu.share && visible > 0 ? device % visible : device);
  }
  return devices;
}

}  // namespace

class NcclBackend::State {
 public:
  State(std::unique_ptr<World> world, const LiveOptions& options)
      : world_(std::move(world)),
        log_(options.gpu.log),
        libraries_(options.gpu.libraries),
        options_(options) {
    const std::string place = world_->places()[world_->process()].host;
    take_gpus(place);
    connect();
  }

  World& world() { return *world_; }
  [[nodiscard]] const GpuLibraries& libraries() const { return libraries_; }
  RankThreads& threads() { return *threads_; }
  [[nodiscard]] std::uint32_t ranks() const { return first_rank_.back(); }
  [[nodiscard]] const std::vector<std::uint32_t>& first_rank() const { return first_rank_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] const std::vector<std::string>& device_texts() const { return device_texts_; }
  [[nodiscard]] const LogFile& log() const { return log_; }

 private:
  int visible_devices(const std::string& host) {
    try {
      return libraries_.device_count();
    } catch (const BackendError& error) {
      throw BackendError(
          fmt::format("host {}, rank {}: {}", host, world_->process(), error.what()));
    }
  }

  void take_gpus(const std::string& host) {
    const int visible = visible_devices(host);
    const Devices devices = choose_devices(options_, *world_, visible);
    if (devices.shared || options_.gpu.share) allow_sharing(host, devices.shared);
    share_counts(devices.of_rank.size());
    std::vector<std::unique_ptr<GpuRank>> ranks;
    for (std::size_t i = 0; i < devices.of_rank.size(); ++i) {
      const std::uint32_t rank = first_rank_[world_->process()] + static_cast<std::uint32_t>(i);
      ranks.push_back(std::make_unique<GpuRank>(
          libraries_, GpuPlace{host, rank, first_rank_.back(), devices.of_rank[i]}, options_.gpu));
    }
    threads_ = std::make_unique<RankThreads>(std::move(ranks), options_.timeout, options_.fail);
    threads_->each([](GpuRank& rank, std::size_t) { rank.open(); });
  }

  /// Sets NCCL_MULTI_RANK_GPU_ENABLE. NCCL before 2.30 refuses with "Duplicate GPU detected".
  void allow_sharing(const std::string& host, bool shared) {
    if (libraries_.nccl_version() < kSharedGpuVersion) {
      throw BackendError(
          fmt::format("host {}, rank {}: --share-gpus needs NCCL 2.30, and this is {}", host,
                      world_->process(), nccl_version_text(libraries_.nccl_version())));
    }
    setenv(kShareVariable, "1", 0);
    if (shared)
      warnings_.push_back(
          "several ranks share a GPU: results are right, but bandwidths are not those of the "
          "hardware");
  }

  void share_counts(std::size_t mine) {
    std::string text;
    for (const std::string& count : world_->gather(std::to_string(mine))) text += count + ' ';
    text = world_->broadcast(text);
    first_rank_ = {0};
    const char* at = text.c_str();
    for (std::uint32_t process = 0; process < world_->processes(); ++process) {
      char* end = nullptr;
      first_rank_.push_back(first_rank_.back() +
                            static_cast<std::uint32_t>(std::strtoul(at, &end, 10)));
      at = end;
    }
  }

  void connect() {
    UniqueId id{};
    if (world_->process() == 0) {
      if (const int result = libraries_.nccl().get_unique_id(&id); result != kNcclSuccess) {
        throw BackendError(fmt::format("host {}, rank 0: ncclGetUniqueId: {} ({})",
                                       world_->places()[0].host,
                                       libraries_.nccl().get_error_string(result), result));
      }
    }
    const std::string shared = world_->broadcast({id.bytes, sizeof id.bytes});
    std::memcpy(id.bytes, shared.data(), std::min(shared.size(), sizeof id.bytes));
    threads_->each([id](GpuRank& rank, std::size_t) { rank.connect(id); });
    std::string texts;
    for (std::size_t i = 0; i < threads_->size(); ++i)
      texts += fmt::format("{}\n", threads_->rank(i).device_text());
    std::string all;
    for (const std::string& text : world_->gather(texts)) all += text;
    for (std::size_t end = 0; (end = all.find('\n')) != std::string::npos; all.erase(0, end + 1))
      device_texts_.push_back(all.substr(0, end));
  }

  std::unique_ptr<World> world_;
  LogFile log_;  ///< before the libraries, which read where to write it
  GpuLibraries libraries_;
  LiveOptions options_;
  std::unique_ptr<RankThreads> threads_;
  std::vector<std::uint32_t> first_rank_;  ///< first rank of each process, and one past the last
  std::vector<std::string> warnings_;
  std::vector<std::string> device_texts_;  ///< at process 0: of every rank
};

namespace {

/// A task on this process's ranks.
class NcclRun final : public LiveRun {
 public:
  NcclRun(RankThreads& threads, World& world, const LiveTask& task)
      : threads_(threads), world_(world) {
    threads_.each([task](GpuRank& rank, std::size_t) { rank.prepare(task); });
  }

  void reset() override {
    threads_.each([](GpuRank& rank, std::size_t) { rank.reset(); });
  }
  void restore() override {
    threads_.each([](GpuRank& rank, std::size_t) { rank.restore(); });
  }
  std::vector<Span> run(int times) override {
    const auto spans = std::make_shared<std::vector<Span>>(threads_.size());
    const World* world = &world_;
    threads_.each([spans, times, world](GpuRank& rank, std::size_t i) {
      (*spans)[i] = rank.run(times, *world);
    });
    return *spans;
  }
  CheckResult check() override {
    const auto checks = std::make_shared<std::vector<CheckResult>>(threads_.size());
    threads_.each([checks](GpuRank& rank, std::size_t i) { (*checks)[i] = rank.check(); });
    CheckResult all;
    for (const CheckResult& one : *checks) all += one;
    return all;
  }

 private:
  RankThreads& threads_;
  World& world_;
};

}  // namespace

namespace {

std::unique_ptr<World> with_same_command(std::unique_ptr<World> world, const LiveOptions& options) {
  if (!options.command.empty()) require_same_command(*world, options.command);
  return world;
}

}  // namespace

NcclBackend::NcclBackend(std::unique_ptr<World> world, const LiveOptions& options)
    : state_(std::make_shared<State>(with_same_command(std::move(world), options), options)) {}

NcclBackend::~NcclBackend() {
  // Abandoned threads still refer to the state, so it is never freed.
  // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new)
  if (state_->threads().is_broken()) (void)new std::shared_ptr<State>(state_);
}

World& NcclBackend::world() { return state_->world(); }
std::uint32_t NcclBackend::ranks() const { return state_->ranks(); }

std::uint32_t NcclBackend::process_of(std::uint32_t rank) const {
  const auto& first = state_->first_rank();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(first, rank) - first.begin()) - 1;
}

std::string NcclBackend::why_not(const LiveTask& task) const {
  using collectives::Kind;
  if (task.schedule != nullptr && !task.schedule->reducers().empty()) {
    return fmt::format(
        "'{}' reduces in switches, which sends and receives cannot do; use --algorithm native, "
        "NCCL's own collective",
        task.schedule->algorithm());
  }
  const Kind kind = task.collective.kind;
  if (task.schedule == nullptr && task.in_place &&
      (kind == Kind::all_to_all || kind == Kind::send_recv)) {
    return fmt::format("{} does not run in place; use --place out",
                       native_name(state_->libraries().nccl(), kind));
  }
  return {};
}

std::unique_ptr<LiveRun> NcclBackend::prepare(const LiveTask& task) {
  return std::make_unique<NcclRun>(state_->threads(), state_->world(), task);
}

std::vector<std::pair<std::string, std::string>> NcclBackend::facts() const {
  std::vector<std::pair<std::string, std::string>> facts{
      {"nccl", nccl_version_text(state_->libraries().nccl_version())}};
  int version = 0;
  if (state_->libraries().cuda().runtime_get_version(&version) == kCudaSuccess)
    facts.emplace_back("cuda", fmt::format("{}.{}", version / 1000, version % 1000 / 10));
  const auto& devices = state_->device_texts();
  for (std::size_t rank = 0; rank < devices.size(); ++rank)
    facts.emplace_back(fmt::format("rank {}", rank), devices[rank]);
  return facts;
}

std::optional<LibraryChoice> NcclBackend::choice(const LiveTask& task) const {
  if (task.schedule != nullptr) return std::nullopt;
  const NcclLog log = state_->log().read();
  const LoggedChoice* found = find_choice(log, task.collective.kind, task.collective.bytes);
  if (found == nullptr) return std::nullopt;
  return LibraryChoice{found->algorithm, found->protocol, found->channels};
}

std::vector<std::string> NcclBackend::notes() const {
  std::vector<std::string> notes = state_->warnings();
  const NcclLog log = state_->log().read();
  if (log.network_connections == 0) return notes;
  notes.push_back(
      fmt::format("NCCL's rank 0 has {} connections over the network; rings use PXN: {}",
                  log.network_connections, log.ring_uses_pxn.value_or(false) ? "yes" : "no"));
  if (!log.relays.empty()) {
    const LoggedRelay& first = log.relays.front();
    notes.push_back(
        fmt::format("PXN: {} pairs of ranks go through another rank's NIC, such as {} to {} "
                    "through {}",
                    log.relays.size(), first.source, first.destination, first.relay));
  }
  return notes;
}

}  // namespace railyard::hw::nccl
