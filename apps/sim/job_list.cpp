#include "apps/sim/job_list.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "collectives/schedule/group_split.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/rank_list.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;

/// A job while its text is parsed.
struct Text {
  Job job;
  std::string ranks;
  const topology::Cluster& cluster;
};

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// Sets a key. Returns an error, or "".
using SetKey = std::string (*)(Text& text, const std::string& value);

template <std::string CollectiveFlags::*flag>
std::string set_flag(Text& text, const std::string& value) {
  text.job.flags.*flag = value;
  return {};
}

std::string set_name(Text& text, const std::string& value) {
  text.job.name = value;
  return {};
}

std::string set_ranks(Text& text, const std::string& value) {
  text.ranks = value;
  return {};
}

std::string set_start(Text& text, const std::string& value) {
  const auto time = core::parse_time(value);
  if (time.value && *time.value < Time())
    return fmt::format("'{}' is negative; a job cannot start before the run", value);
  text.job.start = time.value.value_or(Time());
  return time.error;
}

std::string set_channels(Text& text, const std::string& value) {
  text.job.flags.channels = number(value);
  const int channels = text.job.flags.channels.value_or(0);
  return channels > 0 && channels <= 1024 ? std::string()
                                          : fmt::format("'{}' is not a number of channels", value);
}

std::string set_root(Text& text, const std::string& value) {
  const auto root = number(value);
  text.job.flags.root = static_cast<std::uint32_t>(root.value_or(0));
  return root ? std::string() : fmt::format("'{}' is not a position in a group", value);
}

constexpr std::array<std::pair<std::string_view, SetKey>, 10> kKeys{{
    {"name", set_name},
    {"ranks", set_ranks},
    {"collective", set_flag<&CollectiveFlags::collective>},
    {"bytes", set_flag<&CollectiveFlags::bytes>},
    {"start", set_start},
    {"algorithm", set_flag<&CollectiveFlags::algorithm>},
    {"protocol", set_flag<&CollectiveFlags::protocol>},
    {"channels", set_channels},
    {"type", set_flag<&CollectiveFlags::type>},
    {"root", set_root},
}};

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, set] : kKeys) names.push_back(name);
  return names;
}

/// "a=1,b=2-3,4,c=5" as (a, 1), (b, "2-3,4"), (c, 5): a part without '=' belongs to the value
/// before it.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string item = text.substr(at, comma - at);
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos && !pairs.empty())
      pairs.back().second += "," + item;
    else
      pairs.emplace_back(item.substr(0, equals),
                         equals == std::string::npos ? "" : item.substr(equals + 1));
    at = comma + 1;
  }
  return pairs;
}

void read_pairs(Text& text, const std::string& written, Diagnostics& problems) {
  const std::string pointer = "--job " + written;
  for (const auto& [key, value] : pairs_of(written)) {
    SetKey set = nullptr;
    for (const auto& [name, setter] : kKeys) {
      if (name == key) set = setter;
    }
    if (set == nullptr) {
      const auto names = key_names();
      std::string hint = core::did_you_mean(key, names);
      if (hint.empty()) hint = fmt::format("keys are {}", fmt::join(names, ", "));
      problems.add(pointer, fmt::format("a job has no key '{}'", key), std::move(hint));
      continue;
    }
    std::string error = set(text, value);
    if (!error.empty()) problems.add(pointer, fmt::format("{}: {}", key, error));
  }
}

void add_group(Text& text, const std::string& written, Diagnostics& problems) {
  const std::size_t count = text.cluster.rank_count();
  if (text.ranks.empty()) {
    text.job.group = std::make_shared<const Group>(Group::first(text.cluster, count));
    return;
  }
  auto ranks = topology::parse_ranks(text.ranks, count);
  if (ranks.value) {
    text.job.group = std::make_shared<const Group>(text.cluster, std::move(*ranks.value));
  } else {
    problems.add("--job " + written, "ranks: " + ranks.error);
  }
}

}  // namespace

std::vector<Job> parse_jobs(const topology::Cluster& cluster, const std::vector<std::string>& texts,
                            const CollectiveFlags& defaults) {
  Diagnostics problems("");
  std::vector<Job> jobs;
  for (const std::string& written : texts) {
    Text text{.job = {.name = fmt::format("job{}", jobs.size()),
                      .group = {},
                      .flags = defaults,
                      .start = {}},
              .ranks = {},
              .cluster = cluster};
    read_pairs(text, written, problems);
    add_group(text, written, problems);
    if (text.job.flags.bytes.empty()) {
      problems.add("--job " + written, "a job needs a size",
                   "write bytes=1G in the job, or --bytes for all jobs");
    }
    jobs.push_back(std::move(text.job));
  }
  problems.throw_if_any();
  return jobs;
}

std::vector<Job> split_jobs(const topology::Cluster& cluster, const collectives::Group& group,
                            const std::string& text, const CollectiveFlags& flags) {
  const bool by_neighbours = text.starts_with("DIV ");
  const auto divisor = number(text.size() > 4 ? text.substr(4) : "");
  if ((!by_neighbours && !text.starts_with("MOD ")) || divisor.value_or(0) < 1) {
    throw InputError(
        "", "--groups", fmt::format("'{}' does not split the ranks", text),
        "write 'DIV 8' for groups of eight neighbours, 'MOD 8' for eight groups of every "
        "eighth rank");
  }
  auto ranks = collectives::split_ranks(
      group, by_neighbours ? collectives::GroupSplit::neighbours : collectives::GroupSplit::strided,
      static_cast<std::uint32_t>(*divisor));
  std::vector<Job> jobs;
  for (auto& members : ranks) {
    jobs.push_back({.name = fmt::format("group{}", jobs.size()),
                    .group = std::make_shared<const Group>(cluster, std::move(members)),
                    .flags = flags,
                    .start = Time()});
  }
  return jobs;
}

}  // namespace railyard::apps
