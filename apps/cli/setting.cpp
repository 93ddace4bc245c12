#include "apps/cli/setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apps/cli/fault_flags.hpp"
#include "collectives/formats/nccl_tests_types.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/rank_list.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

/// A name of an enum, or its default and a problem.
template <class E>
E named(const std::string& text, const char* flag, Diagnostics& problems) {
  const core::Parsed<E> parsed = core::parse_enum<E>(text);
  if (!parsed.value) problems.add(flag, parsed.error);
  return parsed.value.value_or(E{});
}

}  // namespace

std::shared_ptr<const collectives::Group> group_of(const topology::Cluster& cluster,
                                                   const ClusterFlags& flags) {
  using collectives::Group;
  if (!flags.ranks.empty()) {
    auto ranks = topology::parse_ranks(flags.ranks, cluster.rank_count());
    if (!ranks.value) throw InputError("", "--ranks", ranks.error);
    return std::make_shared<const Group>(cluster, std::move(*ranks.value));
  }
  const std::size_t count =
      flags.gpus ? static_cast<std::size_t>(*flags.gpus) : cluster.rank_count();
  if (count > cluster.rank_count()) {
    throw InputError(
        "", "--gpus",
        fmt::format("the cluster has {} GPUs, but {} are requested", cluster.rank_count(), count),
        "add nodes with --nodes");
  }
  return std::make_shared<const Group>(Group::first(cluster, count));
}

namespace {

/// Converts the name of a type in nccl-tests; other texts do not change.
std::string type_name(const std::string& text) {
  if (text == "bf16") return "bfloat16";
  if (text == "fp16" || text == "fp32" || text == "fp64") return "float" + text.substr(2);
  const auto type = collectives::type_of_nccl_tests(text);
  return type ? std::string(to_text(*type)) : text;
}

}  // namespace

collectives::Collective collective_of(const CollectiveFlags& flags) {
  Diagnostics problems("");
  const collectives::Collective collective{
      .kind = named<collectives::Kind>(flags.collective, "--collective", problems),
      .bytes = Bytes(),
      .type = named<collectives::DataType>(type_name(flags.type), "--type", problems),
      .op = named<collectives::ReduceOp>(flags.op, "--op", problems),
      .root = flags.root};
  problems.throw_if_any();
  return collective;
}

std::optional<collectives::Kind> named_collective(const std::string& text) {
  if (text.empty()) return std::nullopt;
  Diagnostics problems("");
  const auto kind = named<collectives::Kind>(text, "--collective", problems);
  problems.throw_if_any();
  return kind;
}

Bytes size_of_flag(const std::string& text, const std::string& flag) {
  const core::Parsed<Bytes> size = core::parse_size(text);
  if (!size.value) throw InputError("", flag, size.error);
  if (*size.value <= Bytes()) {
    throw InputError("", flag, fmt::format("'{}' is too small; the smallest size is 1", text));
  }
  return *size.value;
}

std::vector<Bytes> sizes_of(const CollectiveFlags& flags) {
  using namespace literals;
  if (!flags.bytes.empty()) {
    std::vector<Bytes> listed;
    for (std::size_t at = 0; at <= flags.bytes.size();) {
      const std::size_t end = std::min(flags.bytes.find(',', at), flags.bytes.size());
      listed.push_back(size_of_flag(flags.bytes.substr(at, end - at), "--bytes"));
      at = end + 1;
    }
    return listed;
  }
  const bool has_first = !flags.min_bytes.empty();
  const bool has_last = !flags.max_bytes.empty();
  Bytes first = has_first ? size_of_flag(flags.min_bytes, "--min-bytes") : 1_MiB;
  Bytes last = has_last ? size_of_flag(flags.max_bytes, "--max-bytes") : 1_GiB;
  if (!has_first) first = std::min(first, last);
  if (!has_last) last = std::max(first, last);
  if (last < first) {
    throw InputError(
        "", "--max-bytes",
        fmt::format("{} is less than --min-bytes, {}", flags.max_bytes, flags.min_bytes));
  }
  std::vector<Bytes> sizes;
  for (Bytes size = first;; size = size * flags.factor) {
    sizes.push_back(size);
    if (size.count() > last.count() / flags.factor) return sizes;
  }
}

std::optional<collectives::Protocol> protocol_of(const CollectiveFlags& flags) {
  if (flags.protocol == "auto") return std::nullopt;
  const auto protocol = core::parse_enum<collectives::Protocol>(flags.protocol);
  if (!protocol.value) throw InputError("", "--protocol", protocol.error);
  return protocol.value;
}

std::uint64_t seed_of(const topology::Cluster& cluster, std::optional<std::uint64_t> seed) {
  return seed.value_or(cluster.spec().fabric.routing.seed);
}

topology::RoutingOptions routing_of(const topology::Cluster& cluster, const FabricFlags& flags,
                                    std::optional<std::uint64_t> seed) {
  topology::RoutingOptions routing = cluster.spec().fabric.routing;
  routing.seed = seed_of(cluster, seed);
  if (flags.qps) routing.qps = *flags.qps;
  if (flags.routing.empty()) return routing;
  const auto policy = core::parse_enum<topology::RoutingPolicy>(flags.routing);
  if (!policy.value) throw InputError("", "--routing", policy.error);
  routing.policy = *policy.value;
  return routing;
}

std::vector<topology::TimedFault> faults_of(const topology::Cluster& cluster,
                                            const FabricFlags& flags, FaultEnds ends) {
  std::vector<topology::TimedFault> faults;
  const auto add = [&](const char* flag, topology::TimedFault fault) {
    if (fault.ends() && ends == FaultEnds::refused)
      throw InputError("", flag, "only packet simulation supports faults that end",
                       "leave out the second time, or use railyard sim --fidelity packet");
    faults.push_back(std::move(fault));
  };
  for (const std::string& text : flags.failures) add("--fail", failure_of(cluster, text));
  for (const std::string& text : flags.degradations)
    add("--degrade", degradation_of(cluster, text));
  return faults;
}

}  // namespace railyard::apps
