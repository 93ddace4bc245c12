#include "apps/nccl_environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "apps/nccl_variables.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Protocol;

/// NCCL's names (src/graph/tuning.cc, ncclAlgoStr) and ours.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAlgorithms{
    {{"tree", "tree"},
     {"ring", "ring"},
     {"collnetdirect", "collnet_direct"},
     {"collnetchain", "collnet_chain"},
     {"nvls", "nvls"},
     {"nvlstree", "nvls_tree"},
     {"pat", "pat"}}};
constexpr std::array<std::pair<std::string_view, Protocol>, 3> kProtocols{
    {{"ll", Protocol::ll}, {"ll128", Protocol::ll128}, {"simple", Protocol::simple}}};
/// ncclFuncStr.
constexpr std::array<std::pair<std::string_view, Kind>, 5> kFunctions{
    {{"broadcast", Kind::broadcast},
     {"reduce", Kind::reduce},
     {"allgather", Kind::all_gather},
     {"reducescatter", Kind::reduce_scatter},
     {"allreduce", Kind::all_reduce}}};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

template <class Value, std::size_t N>
std::vector<std::string_view> names_of(
    const std::array<std::pair<std::string_view, Value>, N>& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.first);
  return names;
}

/// Reads "list[;func:list...]", where ^ before a list inverts it; the part for `kind` wins over the
/// one without a function (NCCL since 2.24). Nothing where no part is for this kind.
template <class Value, std::size_t N>
class ListReader {
 public:
  using Table = std::array<std::pair<std::string_view, Value>, N>;
  ListReader(const Table& table, std::string pointer, Diagnostics& problems)
      : table_(table), pointer_(std::move(pointer)), problems_(problems) {}

  std::optional<std::vector<Value>> read(std::string_view text, Kind kind) {
    std::optional<std::vector<Value>> found;
    bool is_own = false;
    for (const std::string_view part : split(text, ';')) {
      const std::size_t colon = part.find(':');
      const bool named = colon != std::string_view::npos;
      const std::optional<Kind> function =
          named ? function_of(part.substr(0, colon)) : std::nullopt;
      std::vector<Value> values = list(named ? part.substr(colon + 1) : part);
      if (named ? function != kind : is_own) continue;
      is_own = named;
      found = std::move(values);
    }
    return found;
  }

 private:
  std::optional<Kind> function_of(std::string_view text) {
    const std::string name = lower(text);
    for (const auto& [function, kind] : kFunctions) {
      if (function == name) return kind;
    }
    const auto names = names_of(kFunctions);
    problems_.add(pointer_, fmt::format("'{}' is none of {}", text, fmt::join(names, ", ")),
                  core::did_you_mean(name, names));
    return std::nullopt;
  }

  std::vector<Value> list(std::string_view text) {
    const bool inverted = text.starts_with('^');
    if (inverted) text.remove_prefix(1);
    std::vector<Value> listed;
    for (const std::string_view item : split(text, ',')) {
      const std::string name = lower(item);
      const auto entry =
          std::ranges::find(table_, std::string_view(name), &Table::value_type::first);
      if (entry != table_.end()) {
        listed.push_back(entry->second);
        continue;
      }
      const auto names = names_of(table_);
      problems_.add(pointer_, fmt::format("'{}' is none of {}", item, fmt::join(names, ", ")),
                    core::did_you_mean(name, names));
    }
    if (!inverted) return listed;
    std::vector<Value> others;
    for (const auto& entry : table_) {
      if (std::ranges::find(listed, entry.second) == listed.end()) others.push_back(entry.second);
    }
    return others;
  }

  const Table& table_;
  std::string pointer_;
  Diagnostics& problems_;
};

/// Reads one variable into the environment.
struct Reader {
  NcclEnvironment& environment;
  Kind kind;
  Diagnostics& problems;

  void algorithms(std::string_view text, const std::string& pointer) {
    const auto found = ListReader(kAlgorithms, pointer, problems).read(text, kind);
    if (!found) return;
    environment.algorithms.emplace(found->begin(), found->end());
    environment.algorithm_text = fmt::format("NCCL_ALGO={}", text);
  }
  void protocols(std::string_view text, const std::string& pointer) {
    environment.protocols = ListReader(kProtocols, pointer, problems).read(text, kind);
    environment.protocol_text = fmt::format("NCCL_PROTO={}", text);
  }
  std::optional<int> number(std::string_view text, const std::string& pointer, int least,
                            int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least &&
        value <= most) {
      return value;
    }
    problems.add(pointer, fmt::format("'{}' is not a number from {} to {}", text, least, most));
    return std::nullopt;
  }
};

using ReadVariable = void (*)(Reader&, std::string_view value, const std::string& pointer);

// NCCL's MAXCHANNELS (src/include/device.h) is 64.
constexpr int kMaxChannels = 64;
constexpr std::array<std::pair<std::string_view, ReadVariable>, 6> kModelled{{
    {"NCCL_ALGO", [](Reader& r, std::string_view v, const std::string& p) { r.algorithms(v, p); }},
    {"NCCL_PROTO", [](Reader& r, std::string_view v, const std::string& p) { r.protocols(v, p); }},
    {"NCCL_MIN_NCHANNELS",
     [](Reader& r, std::string_view v, const std::string& p) {
       r.environment.min_channels = r.number(v, p, 1, kMaxChannels);
     }},
    {"NCCL_MAX_NCHANNELS",
     [](Reader& r, std::string_view v, const std::string& p) {
       r.environment.max_channels = r.number(v, p, 1, kMaxChannels);
     }},
    {"NCCL_PXN_DISABLE",
     [](Reader& r, std::string_view v, const std::string& p) {
       r.environment.pxn = r.number(v, p, 0, 1).value_or(0) == 0;
     }},
    {"NCCL_CROSS_NIC",
     [](Reader& r, std::string_view v, const std::string& p) {
       r.environment.cross_nic = r.number(v, p, 0, 2);
     }},
}};

void refuse(const std::string& name, const std::string& pointer, Diagnostics& problems) {
  const auto unmodelled = unmodelled_nccl_variables();
  if (std::ranges::find(unmodelled, name) != unmodelled.end()) {
    problems.add(pointer, fmt::format("{} is not modelled yet", name),
                 fmt::format("with effect: {}", fmt::join(names_of(kModelled), ", ")));
    return;
  }
  std::vector<std::string_view> known = names_of(kModelled);
  known.insert(known.end(), unmodelled.begin(), unmodelled.end());
  problems.add(pointer, fmt::format("NCCL has no variable '{}'", name),
               core::did_you_mean(name, known));
}

}  // namespace

NcclEnvironment read_nccl_environment(const std::vector<std::string>& variables, Kind kind) {
  NcclEnvironment environment;
  Diagnostics problems("");
  Reader reader{environment, kind, problems};
  for (const std::string& text : variables) {
    const std::string pointer = "--env " + text;
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos) {
      problems.add(pointer, "a variable needs a value", fmt::format("write {}=VALUE", name));
      continue;
    }
    const auto entry = std::ranges::find(kModelled, std::string_view(name),
                                         &decltype(kModelled)::value_type::first);
    if (entry == kModelled.end())
      refuse(name, pointer, problems);
    else
      entry->second(reader, std::string_view(text).substr(equals + 1), pointer);
  }
  const auto& [low, high] = std::pair(environment.min_channels, environment.max_channels);
  if (low && high && *low > *high) {
    problems.add("--env",
                 fmt::format("NCCL_MIN_NCHANNELS={} exceeds NCCL_MAX_NCHANNELS={}", *low, *high));
  }
  problems.throw_if_any();
  return environment;
}

std::string why_not(const NcclEnvironment& environment, Kind kind, std::string_view algorithm,
                    Protocol protocol) {
  const auto contains = [](const auto& list, const auto& value) {
    return std::ranges::find(list, value) != list.end();
  };
  // NCCL_ALGO and NCCL_PROTO speak of collectives, not of send and receive.
  const bool classic = kind != Kind::all_to_all && kind != Kind::send_recv;
  if (classic && environment.algorithms && !contains(*environment.algorithms, algorithm)) {
    return fmt::format("{} leaves it out", environment.algorithm_text);
  }
  if (classic && environment.protocols && !contains(*environment.protocols, protocol)) {
    return fmt::format("{} leaves it out", environment.protocol_text);
  }
  if (!environment.pxn && algorithm == "rail_pxn") return "NCCL_PXN_DISABLE=1";
  return {};
}

std::optional<int> clamped_channels(const NcclEnvironment& environment, int own) {
  int channels = own;
  if (environment.max_channels) channels = std::min(channels, *environment.max_channels);
  if (environment.min_channels) channels = std::max(channels, *environment.min_channels);
  return channels == own ? std::nullopt : std::optional(channels);
}

}  // namespace railyard::apps
