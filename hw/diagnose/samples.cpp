#include "hw/diagnose/samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/diagnostic.hpp"
#include "hw/diagnose/robust_statistics.hpp"

namespace railyard::hw {
namespace {

/// Two prints of a bandwidth with two decimals differ by about this; no cluster repeats better.
constexpr double kLeastSpread = 0.002;
/// Between a fast mode and what is faster still (see fast_mode_of).
constexpr double kModeGap = 0.05;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::uint32_t index_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(names, name) - names.begin());
}

PlaceSet place_set(const std::vector<std::string>& places, const std::vector<std::string>& gpus) {
  PlaceSet set = 0;
  for (const std::string& gpu : gpus) set |= PlaceSet{1} << index_in(places, gpu);
  return set;
}

PlaceSet place_of(const std::vector<std::string>& places, const std::vector<std::string>& gpus,
                  bool last) {
  if (gpus.empty()) return 0;
  return PlaceSet{1} << index_in(places, last ? gpus.back() : gpus.front());
}

void name_parts(std::span<const PairRun> runs, Samples& samples) {
  std::set<std::string> nodes, places;
  for (const PairRun& run : runs) {
    nodes.insert({run.node_a, run.node_b});
    places.insert(run.gpus_a.begin(), run.gpus_a.end());
    places.insert(run.gpus_b.begin(), run.gpus_b.end());
  }
  if (places.size() > 64)
    throw InputError("", "", "the tests name GPUs on more than 64 PCI buses of a node",
                     "gpus_a and gpus_b have places that nodes share, such as the PCI bus");
  samples.nodes.assign(nodes.begin(), nodes.end());
  samples.places.assign(places.begin(), places.end());
}

RunPorts ports_of(const PairRun& run, const Samples& samples) {
  const auto& places = samples.places;
  return {.node_a = index_in(samples.nodes, run.node_a),
          .node_b = index_in(samples.nodes, run.node_b),
          .places_a = place_set(places, run.gpus_a),
          .places_b = place_set(places, run.gpus_b),
          .first_a = place_of(places, run.gpus_a, false),
          .last_a = place_of(places, run.gpus_a, true),
          .first_b = place_of(places, run.gpus_b, false),
          .last_b = place_of(places, run.gpus_b, true),
          .is_ring = run.collective == "send_recv"};
}

/// log times of all runs by size.
using SizeTimes = std::map<Bytes, std::vector<double>>;

/// The sizes whose time grows with less than the square root of the size up to the next one.
std::set<Bytes> latency_sizes(const SizeTimes& times) {
  std::set<Bytes> found;
  for (auto size = times.begin(); size != times.end(); ++size) {
    const auto next = std::next(size);
    if (next == times.end()) break;
    const double growth = median_of(next->second) - median_of(size->second);
    const double factor = std::log(static_cast<double>(next->first.count()) /
                                   static_cast<double>(size->first.count()));
    if (growth > 0.5 * factor) break;
    found.insert(size->first);
  }
  return found;
}

/// Strata of one collective and number of GPUs.
struct Family {
  SizeTimes times;
  std::vector<std::uint32_t> runs;
};

void add_stratum(const Family& family, std::span<const PairRun> runs, Stratum stratum,
                 const std::set<Bytes>& sizes, Samples& samples) {
  if (sizes.empty()) return;
  for (const Bytes bytes : sizes) stratum.sizes.push_back({.bytes = bytes});
  const auto index = static_cast<std::uint32_t>(samples.strata.size());
  for (const std::uint32_t run : family.runs) {
    Sample sample{.run = run,
                  .stratum = index,
                  .log_times = std::vector<double>(sizes.size(), kNone),
                  .in_place = std::vector<double>(sizes.size(), kNone)};
    bool is_measured = false;
    for (const PairTest& test : runs[run].tests) {
      const auto at = sizes.find(test.bytes);
      if (at == sizes.end()) continue;
      const auto i = static_cast<std::size_t>(std::distance(sizes.begin(), at));
      sample.log_times[i] = std::log(test.time.seconds());
      if (test.in_place > Time()) {
        sample.in_place[i] = std::log(test.in_place.seconds() / test.time.seconds());
        sample.log_times[i] += sample.in_place[i] / 2;  // the geometric mean of both
      }
      if (test.busbw_GBps > 0) stratum.sizes[i].bus_GB = test.busbw_GBps * test.time.seconds();
      is_measured = true;
    }
    if (is_measured) samples.samples.push_back(std::move(sample));
  }
  samples.strata.push_back(std::move(stratum));
}

void add_strata(std::span<const PairRun> runs, Samples& samples) {
  std::map<std::pair<std::string, int>, Family> families;
  for (std::uint32_t r = 0; r < runs.size(); ++r) {
    if (runs[r].tests.empty()) continue;
    Family& family = families[{runs[r].collective, runs[r].gpus_per_node}];
    family.runs.push_back(r);
    for (const PairTest& test : runs[r].tests)
      family.times[test.bytes].push_back(std::log(test.time.seconds()));
  }
  for (const auto& [key, family] : families) {
    const std::set<Bytes> latency = latency_sizes(family.times);
    std::set<Bytes> bandwidth;
    for (const auto& [bytes, times] : family.times)
      if (!latency.contains(bytes)) bandwidth.insert(bytes);
    const Stratum stratum{.collective = key.first, .gpus_per_node = key.second};
    add_stratum(family, runs, stratum, bandwidth, samples);
    Stratum of_latency = stratum;
    of_latency.is_latency = true;
    add_stratum(family, runs, of_latency, latency, samples);
  }
}

/// Values at size `i` of a stratum, of the samples that `counts` holds.
template <class Counts>
std::vector<double> values_at(const Samples& samples, std::size_t stratum, std::size_t i,
                              std::vector<double> Sample::*values, const Counts& counts) {
  std::vector<double> found;
  for (std::uint32_t s = 0; s < samples.samples.size(); ++s) {
    const Sample& sample = samples.samples[s];
    if (sample.stratum == stratum && counts(s) && !std::isnan((sample.*values)[i]))
      found.push_back((sample.*values)[i]);
  }
  return found;
}

void weigh_sizes(Samples& samples) {
  for (Sample& sample : samples.samples) {
    double sum = 0, weights = 0;
    const Stratum& stratum = samples.strata[sample.stratum];
    for (std::size_t i = 0; i < stratum.sizes.size(); ++i) {
      if (std::isnan(sample.log_times[i])) continue;
      const double weight = 1 / (stratum.sizes[i].spread * stratum.sizes[i].spread);
      sum += weight * (sample.log_times[i] - stratum.sizes[i].log_time);
      weights += weight;
    }
    sample.slowdown = sum / weights;
  }
}

/// Distances of the values at or below the centre, which slow runs do not widen.
std::vector<double> lower_half(const std::vector<double>& values, double centre) {
  std::vector<double> lower;
  for (const double value : values)
    if (value <= centre) lower.push_back(value);
  return lower;
}

}  // namespace

void recentre(Samples& samples, const std::vector<bool>& is_slow) {
  const auto all = [](std::uint32_t) { return true; };
  const auto healthy = [&](std::uint32_t s) { return !is_slow[s]; };
  const bool is_first = is_slow.empty();
  for (std::size_t g = 0; g < samples.strata.size(); ++g) {
    for (std::size_t i = 0; i < samples.strata[g].sizes.size(); ++i) {
      SizeBaseline& size = samples.strata[g].sizes[i];
      auto times = is_first ? values_at(samples, g, i, &Sample::log_times, all)
                            : values_at(samples, g, i, &Sample::log_times, healthy);
      if (times.empty()) continue;  // all slow: the healthy time stays
      size.log_time = is_first ? fast_mode_of(times, kModeGap) : median_of(times);
      if (is_first) times = lower_half(times, size.log_time);
      const auto repeats = values_at(samples, g, i, &Sample::in_place, all);
      size.log_in_place = median_of(repeats);
      size.repeat_spread = spread_of(repeats, size.log_in_place) / std::sqrt(2.0);
      size.spread = std::max(
          {spread_of(times, size.log_time), size.repeat_spread / std::sqrt(2.0), kLeastSpread});
    }
  }
  weigh_sizes(samples);
  for (std::size_t g = 0; g < samples.strata.size(); ++g) {
    std::vector<double> slowdowns;
    for (std::uint32_t s = 0; s < samples.samples.size(); ++s)
      if (samples.samples[s].stratum == g && (is_first || !is_slow[s]))
        slowdowns.push_back(samples.samples[s].slowdown);
    if (is_first) slowdowns = lower_half(slowdowns, 0);
    double repeat = kLeastSpread;
    for (const SizeBaseline& size : samples.strata[g].sizes)
      repeat = std::max(repeat, 0.5 * size.repeat_spread);
    samples.strata[g].spread = std::max(spread_of(slowdowns, 0), repeat);
  }
}

Samples sample_runs(std::span<const PairRun> runs) {
  Samples samples;
  name_parts(runs, samples);
  samples.of_node.resize(samples.nodes.size());
  for (std::uint32_t r = 0; r < runs.size(); ++r) {
    samples.ports.push_back(ports_of(runs[r], samples));
    samples.status.push_back(runs[r].status);
    samples.gpus.push_back(runs[r].gpus_per_node);
    samples.of_node[samples.ports[r].node_a].push_back(r);
    samples.of_node[samples.ports[r].node_b].push_back(r);
  }
  add_strata(runs, samples);
  samples.of_run.resize(runs.size());
  for (std::uint32_t s = 0; s < samples.samples.size(); ++s)
    samples.of_run[samples.samples[s].run].push_back(s);
  recentre(samples, {});
  return samples;
}

}  // namespace railyard::hw
