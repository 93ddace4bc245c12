#include "collectives/nccl/choice/variable_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::reduce};

template <class Value, std::size_t N>
std::vector<std::string_view> names_of(const std::array<Value, N>& values) {
  std::vector<std::string_view> names;
  for (const Value value : values) names.push_back(nccl_name(value));
  return names;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

/// The error "'x' is none of ...", with the most similar name, ignoring case.
void refuse(std::string_view text, const std::vector<std::string_view>& names,
            const std::string& pointer, Diagnostics& problems) {
  std::vector<std::string> lowered;
  for (const std::string_view name : names) lowered.push_back(lower(name));
  const std::vector<std::string_view> near(lowered.begin(), lowered.end());
  problems.add(pointer, fmt::format("'{}' is none of {}", text, fmt::join(names, ", ")),
               core::did_you_mean(lower(text), near));
}

/// Which of N names a text lists.
template <class Value, std::size_t N>
std::array<bool, N> listed(std::string_view text, const std::array<Value, N>& values,
                           const std::string& pointer, Diagnostics& problems) {
  const bool inverted = text.starts_with('^');
  if (inverted) text.remove_prefix(1);
  std::array<bool, N> on{};
  on.fill(inverted);
  for (const std::string_view item : split(text, ',')) {
    const auto same = [&](Value value) { return lower(nccl_name(value)) == lower(item); };
    const auto at = std::ranges::find_if(values, same);
    if (at == values.end())
      refuse(item, names_of(values), pointer, problems);
    else
      on[static_cast<std::size_t>(at - values.begin())] = !inverted;
  }
  return on;
}

/// Calls set(kind, flags) for each list in the text and each collective to which the list applies.
template <class Value, std::size_t N, class Set>
void read_list(std::string_view text, const std::array<Value, N>& values,
               const std::string& pointer, Diagnostics& problems, Set set) {
  bool first = true;
  for (const std::string_view part : split(text, ';')) {
    const std::size_t colon = part.find(':');
    const bool named = colon != std::string_view::npos;
    if (!named && !first) {
      problems.add(pointer, fmt::format("'{}' names no collective", part),
                   "only the first list is for all; write function:list");
    }
    first = false;
    const auto on = listed(named ? part.substr(colon + 1) : part, values, pointer, problems);
    const std::string_view function = named ? part.substr(0, colon) : std::string_view();
    const std::optional<Kind> kind = named ? nccl_kind(function) : std::nullopt;
    if (named && !kind) refuse(function, names_of(kKinds), pointer, problems);
    for (const Kind each : kKinds) {
      if (!named || kind == each) set(each, on);
    }
  }
}

}  // namespace

void read_algorithm_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                         TuningSettings& settings) {
  settings.algorithm_text = fmt::format("NCCL_ALGO={}", text);
  read_list(text, kAllTuningAlgorithms, pointer, problems,
            [&](Kind kind, const auto& on) { settings.algorithms[index_of(kind)] = on; });
}

void read_protocol_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                        TuningSettings& settings) {
  settings.protocol_text = fmt::format("NCCL_PROTO={}", text);
  read_list(text, kAllProtocols, pointer, problems, [&](Kind kind, const auto& on) {
    for (std::size_t i = 0; i < on.size(); ++i)
      settings.protocols[index_of(kind)][i] = on[i] ? ProtocolUse::on : ProtocolUse::off;
  });
}

}  // namespace railyard::collectives::nccl
