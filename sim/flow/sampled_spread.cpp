#include "sim/flow/sampled_spread.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace railyard::sim {
namespace {

using topology::Cluster;
using Kind = std::tuple<topology::DeviceKind, topology::DeviceKind, std::int64_t>;

Kind kind_of(const Cluster& cluster, LinkId id) {
  const topology::Link& link = cluster.link(id);
  return {cluster.device(link.from).kind, cluster.device(link.to).kind,
          static_cast<std::int64_t>(link.bandwidth.bits_per_second())};
}

/// Calls take(index, sum of its kind) for each link between switches.
template <class Sums, class Take>
void for_each(const Cluster& cluster, LinkId first, std::size_t count, Sums& sums, Take&& take) {
  for (std::size_t i = 0; i < count; ++i) {
    const LinkId id(first.index() + i);
    if (cluster.link(id).kind == topology::LinkKind::fabric) take(i, sums[kind_of(cluster, id)]);
  }
}

/// For each kind of link, the sum of the squared deviations from even spreading.
std::map<Kind, double> squares(const Cluster& cluster, LinkId first, const SpreadSample& sample) {
  std::map<Kind, double> sums;
  for_each(cluster, first, sample.crossings.size(), sums, [&](std::size_t i, double& sum) {
    sum += std::pow(sample.crossings[i] - sample.even[i], 2);
  });
  return sums;
}

constexpr double kIndependent = 0.5;

double exponent(double square, double early_square, double ratio) {
  if (square <= 0) return 0;
  if (early_square <= 0) return kIndependent;
  return std::clamp(0.5 * std::log(square / early_square) / std::log(ratio), 0.0, kIndependent);
}

}  // namespace

std::vector<double> scaled_up(const Cluster& cluster, LinkId first, const SpreadSample& sample,
                              const std::optional<SpreadSample>& early) {
  std::map<Kind, double> factors = squares(cluster, first, sample);
  const std::map<Kind, double> before =
      early ? squares(cluster, first, *early) : std::map<Kind, double>();
  for (auto& [kind, value] : factors) {
    const double a =
        early ? exponent(value, before.at(kind), sample.part / early->part) : kIndependent;
    value = std::pow(sample.part, -a);
  }
  std::vector<double> all(sample.crossings.size(), 0.0);
  for_each(cluster, first, all.size(), factors, [&](std::size_t i, double factor) {
    const double beyond = sample.crossings[i] - sample.even[i];
    all[i] = std::max(0.0, sample.even[i] / sample.part + beyond * factor);
  });
  return all;
}

std::vector<double> means_of_kinds(const Cluster& cluster, LinkId first,
                                   const std::vector<double>& crossings) {
  std::map<Kind, std::pair<double, double>> sums;
  for_each(cluster, first, crossings.size(), sums, [&](std::size_t i, auto& sum) {
    if (crossings[i] == 0) return;
    sum.first += crossings[i];
    ++sum.second;
  });
  std::vector<double> means(crossings.size(), 0.0);
  for_each(cluster, first, crossings.size(), sums, [&](std::size_t i, const auto& sum) {
    if (crossings[i] > 0) means[i] = sum.first / sum.second;
  });
  return means;
}

}  // namespace railyard::sim
