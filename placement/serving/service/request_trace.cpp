#include "placement/serving/service/request_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/config/csv_table.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

/// Column names of arrival, prompt length and answer length in a CSV format.
struct TraceFormat {
  std::string_view arrival, input, output;
};
constexpr std::array kFormats{
    TraceFormat{"arrival_s", "input_tokens", "output_tokens"},
    TraceFormat{"TIMESTAMP", "ContextTokens", "GeneratedTokens"},
    TraceFormat{"Timestamp", "Request tokens", "Response tokens"},
};

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

/// Block numbers from a list of numbers and ranges: "0 14-27".
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
    // A limit for typing errors: a prompt of a million tokens has 2,000 blocks.
    constexpr std::uint32_t kMost = 100'000;
    if (last < first || last - first > kMost || (at != end && *at != ' '))
      place.fail(text, "a list of blocks such as '0 14-27'");
    for (std::uint32_t block = first; block <= last; ++block) blocks.push_back(block);
  }
  return blocks;
}

/// Seconds from a number, or from "2023-11-16 18:15:46.68" (proleptic Gregorian calendar).
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

constexpr std::string_view kStart = "window_start_s", kRate = "requests_per_s",
                           kCv = "interarrival_cv_weighted", kPool = "pool";

/// Indices of the columns in the heading line. Throws InputError with a list of accepted headings.
std::array<std::size_t, 3> columns_of(std::string_view heading, const std::string& file,
                                      const TraceFormat** format) {
  const auto cells = core::plain_csv_cells(heading);
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
  accepted += fmt::format(", '{},{}' (rates by window)", kStart, kRate);
  throw InputError(
      file, "line 1", "the columns are not those of a supported trace of requests",
      "accepted columns: " + accepted + ", or a Mooncake .jsonl or a ShareGPT .json file");
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
    const auto cells = core::plain_csv_cells(row);
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
                       fmt::format("has {} cells, but the heading has {}", cells.size(), width),
                       "");
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

/// Block numbers of a prompt in Mooncake's format; empty if the key is missing.
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

/// English text has about four characters per token of a byte-pair vocabulary (OpenAI, "What are
/// tokens and how to count them").
constexpr double kCharactersPerToken = 4;

const std::string* text_of(const core::JsonValue& object, std::string_view key) {
  const core::JsonValue* value = object.find(key);
  return value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
}

/// Adds the answers of a conversation as requests.
void add_answers(const core::JsonValue& conversation, const std::string& pointer,
                 const std::string& file, std::vector<Request>& requests) {
  const core::JsonValue* turns = conversation.find("conversations");
  const auto* list = turns == nullptr ? nullptr : std::get_if<core::JsonValue::List>(&turns->data);
  if (list == nullptr)
    throw InputError(file, pointer, "there is no list 'conversations'",
                     "turns with 'from' and 'value', as ShareGPT has them");
  double characters = 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string *from = text_of((*list)[i], "from"), *value = text_of((*list)[i], "value");
    if (from == nullptr || value == nullptr)
      throw InputError(file, fmt::format("{}/conversations/{}", pointer, i),
                       "a turn needs the texts 'from' and 'value'", "");
    const auto length = static_cast<double>(value->size());
    const auto tokens = [](double count) {
      return static_cast<int>(std::ceil(count / kCharactersPerToken));
    };
    if ((*from == "gpt" || *from == "assistant") && characters > 0 && length > 0)
      requests.push_back({.input = tokens(characters), .output = tokens(length)});
    characters += length;
  }
}

std::vector<Request> read_conversations(std::string_view text, const std::string& file) {
  const core::JsonValue document = core::parse_json(text, file);
  const auto* list = std::get_if<core::JsonValue::List>(&document.data);
  if (list == nullptr)
    throw InputError(file, "", "is not a list of conversations", "ShareGPT's format");
  std::vector<Request> requests;
  for (std::size_t i = 0; i < list->size(); ++i)
    add_answers((*list)[i], fmt::format("/{}", i), file, requests);
  return requests;
}

}  // namespace

std::vector<Request> read_request_trace(const std::string& file) {
  const std::string text = core::read_text_file(file);
  std::vector<Request> requests = file.ends_with(".jsonl")  ? read_json_lines(text, file)
                                  : file.ends_with(".json") ? read_conversations(text, file)
                                                            : read_csv(text, file);
  if (requests.empty()) throw InputError(file, "", "contains no requests", "");
  std::ranges::stable_sort(requests, {}, &Request::arrival);
  const double first = requests.front().arrival;
  for (Request& request : requests) request.arrival -= first;
  return requests;
}

bool holds_rate_windows(const std::string& file) {
  if (!file.ends_with(".csv")) return false;
  bool found = false, first = true;
  for_each_line(core::read_text_file(file), [&](std::size_t, std::string_view row) {
    if (std::exchange(first, false)) {
      const auto cells = core::plain_csv_cells(row);
      found = std::ranges::find(cells, kStart) != cells.end() &&
              std::ranges::find(cells, kRate) != cells.end();
    }
  });
  return found;
}

std::vector<RateWindow> read_rate_windows(const std::string& file, const std::string& pool) {
  std::vector<RateWindow> windows;
  std::vector<std::string> pools;
  std::vector<std::string_view> heading;
  const std::string text = core::read_text_file(file);
  for_each_line(text, [&](std::size_t line, std::string_view row) {
    const auto cells = core::plain_csv_cells(row);
    if (heading.empty()) {
      heading = cells;
      return;
    }
    if (cells.size() != heading.size())
      throw InputError(
          file, fmt::format("line {}", line),
          fmt::format("has {} cells, but the heading has {}", cells.size(), heading.size()), "");
    const auto cell = [&](std::string_view name) -> std::optional<std::string_view> {
      const auto at = std::ranges::find(heading, name);
      if (at == heading.end()) return std::nullopt;
      return cells[static_cast<std::size_t>(at - heading.begin())];
    };
    const std::string name(cell(kPool).value_or(""));
    if (std::ranges::find(pools, name) == pools.end()) pools.push_back(name);
    if (!pool.empty() && name != pool) return;
    const auto number = [&](std::string_view column) {
      const double value = number_of(cell(column).value_or("1"), {file, line, column});
      if (!(value >= 0)) Place{file, line, column}.fail(*cell(column), "a number from 0 on");
      return value;
    };
    const RateWindow window{.start = number(kStart), .rate = number(kRate), .cv = number(kCv)};
    if (pool.empty() && pools.size() > 1) return;
    if (!windows.empty() && window.start <= windows.back().start)
      throw InputError(file, fmt::format("line {}, column '{}'", line, kStart),
                       "does not begin after the window before it", "");
    windows.push_back(window);
  });
  if (pool.empty() && pools.size() > 1)
    throw InputError(file, "", fmt::format("has the pools {}", fmt::join(pools, ", ")),
                     "--pool " + pools.front());
  if (windows.empty())
    throw InputError(file, "", pool.empty() ? "has no window" : "has no pool " + pool,
                     fmt::format("one of {}", fmt::join(pools, ", ")));
  return windows;
}

}  // namespace railyard::placement::serving
