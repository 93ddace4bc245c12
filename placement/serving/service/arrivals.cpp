#include "placement/serving/service/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>

#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::placement::serving {
namespace {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(topology::mix(seed)) {}
  /// In (0, 1).
  double uniform() {
    state_ += 0x9e3779b97f4a7c15U;
    return (static_cast<double>(topology::mix(state_) >> 11) + 0.5) * 0x1p-53;
  }
  /// Standard normal, by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  /// Gamma of a shape and mean 1, by Marsaglia and Tsang (ACM TOMS 26, 2000).
  double gamma(double shape) {
    if (shape < 1) {
      const double raised = gamma(shape + 1) * (shape + 1);
      return raised * std::pow(uniform(), 1 / shape) / shape;
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
        return d * v / shape;
    }
  }

 private:
  std::uint64_t state_;
};

/// Where the three numbers of a request are in a line of CSV.
struct TraceFormat {
  std::string_view arrival, input, output;
};
constexpr std::array kFormats{
    TraceFormat{"arrival_s", "input_tokens", "output_tokens"},
    TraceFormat{"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
    TraceFormat{"Timestamp", "Request tokens", "Response tokens"},
};

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (std::size_t at = 0;;) {
    const std::size_t comma = line.find(',', at);
    cells.push_back(line.substr(at, comma - at));
    if (comma == line.npos) return cells;
    at = comma + 1;
  }
}

struct Place {
  const std::string& file;
  std::size_t line;
  std::string_view column;
  [[noreturn]] void fail(std::string_view text, const char* expected) const {
    throw InputError(file, fmt::format("line {}, column '{}'", line, column),
                     fmt::format("'{}' is not {}", text, expected), "");
  }
};

double number_of(std::string_view text, const Place& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) place.fail(text, "a number");
  return value;
}

int tokens_of(std::string_view text, const Place& place) {
  const double value = number_of(text, place);
  if (!(value >= 0) || value > 1e8 || value != std::floor(value))
    place.fail(text, "a whole number of tokens");
  return static_cast<int>(value);
}

constexpr std::string_view kPrefixColumn = "prefix_blocks", kTtftColumn = "ttft_ms",
                           kTpotColumn = "tpot_ms";

/// Numbers and runs of numbers: "0 14-27".
std::vector<std::uint32_t> prefix_of(std::string_view text, const Place& place) {
  std::vector<std::uint32_t> blocks;
  const auto number = [&](const char*& at, const char* end) {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc()) place.fail(text, "a list of blocks such as '0 14-27'");
    at = stop;
    return value;
  };
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    const std::uint32_t first = number(at, end);
    std::uint32_t last = first;
    if (at != end && *at == '-') last = number(++at, end);
    // A prompt of a million tokens has 2,000 blocks.
    constexpr std::uint32_t kMost = 100'000;
    if (last < first || last - first > kMost || (at != end && *at != ' '))
      place.fail(text, "a list of blocks such as '0 14-27'");
    for (std::uint32_t block = first; block <= last; ++block) blocks.push_back(block);
  }
  return blocks;
}

/// Seconds: a number, or "2023-11-16 18:15:46.68" (days of the proleptic Gregorian calendar).
double seconds_of(std::string_view text, const Place& place) {
  if (text.size() < 19 || text[4] != '-') return number_of(text, place);
  const auto part = [&](std::size_t at, std::size_t count) {
    return number_of(text.substr(at, count), place);
  };
  const std::chrono::sys_days day{std::chrono::year(static_cast<int>(part(0, 4))) /
                                  std::chrono::month(static_cast<unsigned>(part(5, 2))) /
                                  std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  return 86400.0 * static_cast<double>(day.time_since_epoch().count()) + 3600 * part(11, 2) +
         60 * part(14, 2) + part(17, text.size() - 17);
}

/// Columns of the first line, or a list of what would be accepted.
std::array<std::size_t, 3> columns_of(std::string_view heading, const std::string& file,
                                      const TraceFormat** format) {
  const auto cells = cells_of(heading);
  std::string accepted;
  for (const TraceFormat& f : kFormats) {
    std::array<std::size_t, 3> at{};
    const std::array names{f.arrival, f.input, f.output};
    bool all = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto found = std::ranges::find(cells, names[i]);
      all = all && found != cells.end();
      at[i] = static_cast<std::size_t>(found - cells.begin());
    }
    *format = &f;
    if (all) return at;
    accepted +=
        fmt::format("{}'{},{},{}'", accepted.empty() ? "" : ", ", f.arrival, f.input, f.output);
  }
  throw InputError(file, "line 1", "the columns are those of no known trace of requests",
                   "accepted columns: " + accepted + ", or a Mooncake .jsonl file");
}

template <class Line>
void for_each_line(std::string_view text, const Line& line) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view row = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (!row.empty() && !row.starts_with('#')) line(number, row);
  }
}

std::vector<Request> read_csv(std::string_view text, const std::string& file) {
  std::vector<Request> requests;
  std::optional<std::array<std::size_t, 3>> columns;
  const TraceFormat* format = nullptr;
  std::size_t width = 0, prefix = 0, ttft = 0, tpot = 0;
  for_each_line(text, [&](std::size_t line, std::string_view row) {
    const auto cells = cells_of(row);
    if (!columns) {
      columns = columns_of(row, file, &format);
      width = cells.size();
      const auto column = [&](std::string_view name) {
        return static_cast<std::size_t>(std::ranges::find(cells, name) - cells.begin());
      };
      prefix = column(kPrefixColumn);
      ttft = column(kTtftColumn);
      tpot = column(kTpotColumn);
      return;
    }
    if (cells.size() != width)
      throw InputError(file, fmt::format("line {}", line),
                       fmt::format("has {} cells, the heading {}", cells.size(), width), "");
    Request request{.arrival = seconds_of(cells[(*columns)[0]], {file, line, format->arrival}),
                    .input = tokens_of(cells[(*columns)[1]], {file, line, format->input}),
                    .output = tokens_of(cells[(*columns)[2]], {file, line, format->output})};
    if (prefix < cells.size())
      request.prefix = prefix_of(cells[prefix], {file, line, kPrefixColumn});
    if (ttft < cells.size())
      request.measured_ttft = number_of(cells[ttft], {file, line, kTtftColumn}) / 1e3;
    if (tpot < cells.size())
      request.measured_tpot = number_of(cells[tpot], {file, line, kTpotColumn}) / 1e3;
    if (request.input > 0 && request.output > 0) requests.push_back(std::move(request));
  });
  return requests;
}

double member(const core::JsonValue& object, std::string_view key, const std::string& file,
              std::size_t line) {
  const core::JsonValue* value = object.find(key);
  if (value != nullptr) {
    if (const auto* whole = std::get_if<std::int64_t>(&value->data))
      return static_cast<double>(*whole);
    if (const auto* number = std::get_if<double>(&value->data)) return *number;
  }
  throw InputError(file, fmt::format("line {}", line), fmt::format("there is no number '{}'", key),
                   "timestamp (ms), input_length and output_length");
}

/// Mooncake's numbers of prompt blocks; none where the key is absent.
std::vector<std::uint32_t> hash_ids(const core::JsonValue& object, const std::string& file,
                                    std::size_t line) {
  const core::JsonValue* value = object.find("hash_ids");
  if (value == nullptr) return {};
  std::vector<std::uint32_t> blocks;
  if (const auto* items = std::get_if<core::JsonValue::List>(&value->data)) {
    for (const core::JsonValue& item : *items) {
      const auto* id = std::get_if<std::int64_t>(&item.data);
      if (id == nullptr || *id < 0 || *id > std::numeric_limits<std::uint32_t>::max()) break;
      blocks.push_back(static_cast<std::uint32_t>(*id));
    }
    if (blocks.size() == items->size()) return blocks;
  }
  throw InputError(file, fmt::format("line {}", line), "hash_ids is not a list of block numbers",
                   "numbers from 0 to 4294967295");
}

std::vector<Request> read_json_lines(std::string_view text, const std::string& file) {
  std::vector<Request> requests;
  for_each_line(text, [&](std::size_t line, std::string_view row) {
    const core::JsonValue object = core::parse_json(row, fmt::format("{}, line {}", file, line));
    requests.push_back(
        {.arrival = member(object, "timestamp", file, line) / 1e3,
         .input = std::max(1, static_cast<int>(member(object, "input_length", file, line))),
         .output = std::max(1, static_cast<int>(member(object, "output_length", file, line))),
         .prefix = hash_ids(object, file, line)});
  });
  return requests;
}

}  // namespace

std::vector<Request> random_arrivals(const ArrivalSpec& spec) {
  Random random(spec.seed);
  std::vector<Request> requests;
  requests.reserve(static_cast<std::size_t>(spec.requests));
  double now = 0;
  const auto length = [&](int most) {
    const double share = spec.spread > 0 ? 1 - spec.spread * random.uniform() : 1;
    return std::max(1, static_cast<int>(std::lround(most * share)));
  };
  for (int i = 0; i < spec.requests; ++i) {
    const int input = length(spec.input), output = length(spec.output);
    requests.push_back({.arrival = now, .input = input, .output = output});
    const double gap = spec.cv == 0   ? 1
                       : spec.cv == 1 ? -std::log(random.uniform())
                                      : random.gamma(1 / (spec.cv * spec.cv));
    now += gap / spec.rate;
  }
  return requests;
}

double largest_cached_share(const std::vector<Request>& requests) {
  std::set<std::uint32_t> seen;
  double cached = 0, all = 0;
  for (const Request& r : requests) {
    all += r.input;
    double hit = 0;
    const std::size_t whole =
        std::min(r.prefix.size(), static_cast<std::size_t>(r.input) / kPrefixTokens);
    while (hit < static_cast<double>(whole) &&
           seen.contains(r.prefix[static_cast<std::size_t>(hit)]))
      ++hit;
    cached += std::min(hit * kPrefixTokens, r.input - 1.0);
    seen.insert(r.prefix.begin(), r.prefix.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  return all > 0 ? cached / all : 0;
}

std::vector<Request> read_request_trace(const std::string& file) {
  const std::string text = core::read_text_file(file);
  std::vector<Request> requests =
      file.ends_with(".jsonl") ? read_json_lines(text, file) : read_csv(text, file);
  if (requests.empty()) throw InputError(file, "", "there is no request in the trace", "");
  std::ranges::stable_sort(requests, {}, &Request::arrival);
  const double first = requests.front().arrival;
  for (Request& request : requests) request.arrival -= first;
  return requests;
}

}  // namespace railyard::placement::serving
