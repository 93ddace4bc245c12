#include "sim/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/flow/load_sampler.hpp"

namespace railyard::sim {
namespace {

using collectives::TimelineEvent;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result += '"';
}

/// Microseconds with six decimals, so that picoseconds are exact.
std::string microseconds(Time time) {
  const auto ps = time.picoseconds();
  return fmt::format("{}.{:06d}", ps / 1'000'000, ps % 1'000'000);
}

class TraceWriter {
 public:
  explicit TraceWriter(std::ostream& out) : out_(out) {
    out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  }

  void write(const TimelineEvent& event) {
    if (event.track.starts_with(kLoadTrack))
      counter(event);
    else
      span(event);
  }
  /// Viewers bind each end of an arrow to the span at that time. The first end uses the last
  /// picosecond of its span.
  void write(const collectives::TimelineArrow& arrow) {
    const auto [from_process, from_thread] = ids(arrow.from);
    const auto [to_process, to_thread] = ids(arrow.to);
    const int id = ++arrows_;
    record(
        "{{\"ph\":\"s\",\"cat\":\"wait\",\"id\":{},\"pid\":{},\"tid\":{},\"name\":{},\"ts\":{}}}",
        id, from_process, from_thread, quoted(arrow.name),
        microseconds(arrow.leaves - Time::picoseconds(1)));
    record(
        "{{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"wait\",\"id\":{},\"pid\":{},\"tid\":{},\"name\":{},"
        "\"ts\":{}}}",
        id, to_process, to_thread, quoted(arrow.name), microseconds(arrow.arrives));
  }
  void end(std::size_t left_out) {
    // A counter keeps its last value, so it is set to zero at the end of the run.
    for (const auto& [name, end] : counter_ends_)
      record("{{\"ph\":\"C\",\"pid\":0,\"name\":{},\"ts\":{},\"args\":{{\"GB/s\":0}}}}",
             quoted(name), microseconds(end));
    out_ << "\n]";
    if (left_out > 0) out_ << fmt::format(",\"otherData\":{{\"left_out_spans\":{}}}", left_out);
    out_ << "}\n";
  }

 private:
  template <class... Args>
  void record(fmt::format_string<Args...> format, Args&&... args) {
    out_ << (std::exchange(first_, false) ? "\n" : ",\n")
         << fmt::format(format, std::forward<Args>(args)...);
  }

  void counter(const TimelineEvent& event) {
    const double seconds = (event.end - event.begin).seconds();
    record("{{\"ph\":\"C\",\"pid\":0,\"name\":{},\"ts\":{},\"args\":{{\"GB/s\":{:.6g}}}}}",
           quoted(event.track), microseconds(event.begin),
           seconds > 0 ? event.bytes.gigabytes() / seconds : 0.0);
    counter_ends_[event.track] = event.end;
  }

  void span(const TimelineEvent& event) {
    const auto [process, thread] = ids(event.track);
    record(
        "{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"name\":{},\"ts\":{},\"dur\":{},\"args\":{{"
        "\"bytes\":{}}}}}",
        process, thread, quoted(event.name), microseconds(event.begin),
        microseconds(event.end - event.begin), event.bytes.count());
  }

  /// The numbers of a track. Its names are written at the first use.
  std::pair<int, int> ids(const std::string& track) {
    const auto [known, is_new] = tracks_.try_emplace(track);
    if (!is_new) return known->second;
    const auto slash = track.find(" / ");
    const auto process = track.substr(0, slash);
    const auto thread = slash == std::string::npos ? track : track.substr(slash + 3);
    const auto [pid, new_process] =
        processes_.try_emplace(process, static_cast<int>(processes_.size()) + 1);
    known->second = {pid->second, static_cast<int>(tracks_.size())};
    if (new_process)
      record("{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
             pid->second, quoted(process));
    record(
        "{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
        known->second.first, known->second.second, quoted(thread));
    return known->second;
  }

  std::ostream& out_;
  bool first_ = true;
  std::map<std::string, std::pair<int, int>> tracks_;
  std::map<std::string, int> processes_;
  std::map<std::string, Time> counter_ends_;
  int arrows_ = 0;
};

bool is_span(const TimelineEvent& event) { return !event.track.starts_with(kLoadTrack); }

/// The shortest duration of a span that is written, and how many spans of exactly this duration
/// are.
struct Limit {
  Time least;
  std::size_t at_least = 0;
};

Limit limit_of(std::span<const TimelineEvent> events, std::size_t most) {
  std::vector<Time> lengths;
  for (const TimelineEvent& event : events)
    if (is_span(event)) lengths.push_back(event.end - event.begin);
  if (lengths.size() <= most) return {.least = Time(), .at_least = lengths.size()};
  const auto last = lengths.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::ranges::nth_element(lengths, last, std::ranges::greater());
  const Time least = *last;
  const auto longer = std::ranges::count_if(lengths, [&](Time time) { return time > least; });
  return {.least = least, .at_least = most - static_cast<std::size_t>(longer)};
}

}  // namespace

std::size_t write_trace(std::ostream& out, const collectives::Run& run, std::size_t most) {
  return write_trace(out, run.timeline, {}, most);
}

std::size_t write_trace(std::ostream& out, std::span<const TimelineEvent> events,
                        std::span<const collectives::TimelineArrow> arrows, std::size_t most) {
  TraceWriter writer(out);
  Limit limit = limit_of(events, std::max<std::size_t>(most, 1));
  std::size_t left_out = 0;
  for (const TimelineEvent& event : events) {
    const Time length = event.end - event.begin;
    const bool is_at_limit = is_span(event) && length == limit.least;
    if (is_span(event) && (length < limit.least || (is_at_limit && limit.at_least == 0))) {
      ++left_out;
      continue;
    }
    if (is_at_limit) --limit.at_least;
    writer.write(event);
  }
  for (const collectives::TimelineArrow& arrow : arrows) writer.write(arrow);
  writer.end(left_out);
  return left_out;
}

}  // namespace railyard::sim
