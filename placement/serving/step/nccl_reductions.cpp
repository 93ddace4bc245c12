#include "placement/serving/step/nccl_reductions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "collectives/nccl/timing/fitted_time.hpp"
#include "placement/cost/closed_form.hpp"

namespace railyard::placement::serving {
namespace {

using collectives::Protocol;
using collectives::nccl::FittedTime;

}  // namespace

struct NcclReductions::Known {
  std::shared_ptr<const topology::Cluster> cluster;
  FittedTime fitted;
  ClosedForm closed_form;
  std::map<std::pair<std::uint32_t, std::int64_t>, double> seconds{};  ///< key: ranks and bytes

  Known(std::shared_ptr<const topology::Cluster> on, const topology::Timings& timings)
      : cluster(std::move(on)),
        fitted(*cluster, {.timings = timings}),
        closed_form(node_fabric(*cluster)) {}

  /// Seconds of an all-reduce with the fastest algorithm and protocol.
  double fastest(std::uint32_t ranks, std::int64_t bytes) {
    const auto found = seconds.find({ranks, bytes});
    if (found != seconds.end()) return found->second;
    std::vector<Rank> gpus;
    for (std::uint32_t i = 0; i < ranks; ++i) gpus.emplace_back(i);
    const collectives::Group group(*cluster, std::move(gpus));
    double best = std::numeric_limits<double>::infinity();
    for (const char* algorithm : {"ring", "tree"})
      for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        const auto asked =
            fitted.query(group, {.collective = {.kind = collectives::Kind::all_reduce,
                                                .bytes = Bytes(bytes),
                                                .type = collectives::DataType::bfloat16},
                                 .algorithm = algorithm,
                                 .protocol = protocol});
        if (asked)
          best = std::min(
              best,
              1e-6 * collectives::nccl::collective_time(asked->machine, asked->query).total());
      }
    return seconds[{ranks, bytes}] = best;
  }
};

NcclReductions::NcclReductions(std::shared_ptr<const topology::Cluster> cluster,
                               const topology::Timings& timings)
    : known_(std::make_unique<Known>(std::move(cluster), timings)) {}
NcclReductions::~NcclReductions() = default;

Time NcclReductions::time(const GroupCollective& c) const {
  if (c.kind != collectives::Kind::all_reduce) return known_->closed_form.time(c);
  if (c.shape.size < 2 || !(c.bytes > 0)) return Time();
  constexpr double kLeast = 1024;
  const double low = std::exp2(std::floor(std::log2(std::max(kLeast, c.bytes))));
  const double at_low = known_->fastest(c.shape.size, static_cast<std::int64_t>(low));
  if (c.bytes <= low) return Time::from_seconds(at_low);
  const double at_high = known_->fastest(c.shape.size, static_cast<std::int64_t>(2 * low));
  return Time::from_seconds(at_low + (c.bytes / low - 1) * (at_high - at_low));
}

}  // namespace railyard::placement::serving
