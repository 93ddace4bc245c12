#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "apps/tuner/tuner_interface.hpp"
#include "collectives/nccl/tuner_table/tuner_table.hpp"

namespace railyard::apps::tuner {
namespace {

using collectives::nccl::TunerDecision;
using collectives::nccl::TunerTable;

/// State of one communicator. Without a table NCCL decides everything.
struct Context {
  std::optional<TunerTable> table;
};

void say(Logger log, LogLevel level, const std::string& text) {
  if (log != nullptr) log(level, kTuning, __FILE__, __LINE__, "TUNER/railyard: %s", text.c_str());
}

std::optional<TunerTable> table_for(std::size_t ranks, std::size_t nodes, Logger log) {
  const char* file = std::getenv("RAILYARD_TUNER_FILE");
  if (file == nullptr || *file == '\0') {
    say(log, log_warn, "RAILYARD_TUNER_FILE is not set; NCCL chooses");
    return std::nullopt;
  }
  TunerTable table = collectives::nccl::read_tuner_table(file);
  if (table.ranks != ranks || table.nodes != nodes) {
    say(log, log_info,
        "the file is for " + std::to_string(table.ranks) + " ranks on " +
            std::to_string(table.nodes) + " nodes, the communicator has " + std::to_string(ranks) +
            " on " + std::to_string(nodes) + "; NCCL chooses");
    return std::nullopt;
  }
  say(log, log_info, std::to_string(table.decisions.size()) + " ranges of sizes from " + file);
  return table;
}

/// A C interface: no exception may leave it.
Result init(std::size_t ranks, std::size_t nodes, Logger log, void** context) {
  if (context == nullptr) return invalid_usage;
  *context = nullptr;
  try {
    auto made = std::make_unique<Context>();
    made->table = table_for(ranks, nodes, log);
    *context = made.release();
    return success;
  } catch (const std::exception& error) {
    say(log, log_warn, error.what());
    return invalid_usage;
  }
}

Result init_v5(void** context, std::uint64_t, std::size_t ranks, std::size_t nodes, Logger log,
               void*, void*) {
  return init(ranks, nodes, log, context);
}

/// Sets the cost of the algorithm and protocol in the table to 0, so that NCCL chooses them. If
/// NCCL cannot use them, or if the table has no entry, costs and channels do not change.
Result get_collective_info(void* context, int function, std::size_t bytes, int, float** costs,
                           int algorithms, int protocols, int, int* channels) {
  if (context == nullptr || costs == nullptr) return internal_error;
  if (channels != nullptr) *channels = 0;
  const auto& table = static_cast<const Context*>(context)->table;
  const TunerDecision* decision = table ? table->decision(function, bytes) : nullptr;
  if (decision == nullptr || decision->algorithm >= algorithms || decision->protocol >= protocols) {
    return success;
  }
  // NCCL passes a plain table of floats as float** (plugins/tuner/example/plugin.c does this too).
  float* table_of_costs = reinterpret_cast<float*>(costs);
  float& cost = table_of_costs[decision->algorithm * protocols + decision->protocol];
  if (cost != kIgnored) cost = 0;
  return success;
}

Result destroy(void* context) {
  delete static_cast<Context*>(context);
  return success;
}

}  // namespace
}  // namespace railyard::apps::tuner

extern "C" {
__attribute__((
    visibility("default"))) extern const railyard::apps::tuner::TunerV4 ncclTunerPlugin_v4;
__attribute__((
    visibility("default"))) extern const railyard::apps::tuner::TunerV5 ncclTunerPlugin_v5;

__attribute__((
    visibility("default"))) extern const railyard::apps::tuner::TunerV6 ncclTunerPlugin_v6;
__attribute__((
    visibility("default"))) extern const railyard::apps::tuner::TunerV6 ncclTunerPlugin_v7;

const railyard::apps::tuner::TunerV4 ncclTunerPlugin_v4{"railyard", railyard::apps::tuner::init,
                                                        railyard::apps::tuner::get_collective_info,
                                                        railyard::apps::tuner::destroy};
const railyard::apps::tuner::TunerV5 ncclTunerPlugin_v5{"railyard", railyard::apps::tuner::init_v5,
                                                        railyard::apps::tuner::get_collective_info,
                                                        railyard::apps::tuner::destroy};
const railyard::apps::tuner::TunerV6 ncclTunerPlugin_v6{"railyard", railyard::apps::tuner::init_v5,
                                                        railyard::apps::tuner::get_collective_info,
                                                        railyard::apps::tuner::destroy, nullptr};
const railyard::apps::tuner::TunerV6 ncclTunerPlugin_v7{"railyard", railyard::apps::tuner::init_v5,
                                                        railyard::apps::tuner::get_collective_info,
                                                        railyard::apps::tuner::destroy, nullptr};
}
