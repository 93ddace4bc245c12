#include "sim/trace.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

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

/// Microseconds with all six digits of picoseconds, exact.
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
  /// Both ends bind to the span that is there: the first at its last picosecond.
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
  void end() {
    // A counter holds its last value: bring it back to zero where the run ends.
    for (const auto& [name, end] : counter_ends_)
      record("{{\"ph\":\"C\",\"pid\":0,\"name\":{},\"ts\":{},\"args\":{{\"GB/s\":0}}}}",
             quoted(name), microseconds(end));
    out_ << "\n]}\n";
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

  /// Numbers of a track, with their names written when first met.
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

}  // namespace

void write_trace(std::ostream& out, const collectives::Run& run) {
  write_trace(out, run.timeline, {});
}

void write_trace(std::ostream& out, std::span<const TimelineEvent> events,
                 std::span<const collectives::TimelineArrow> arrows) {
  TraceWriter writer(out);
  for (const TimelineEvent& event : events) writer.write(event);
  for (const collectives::TimelineArrow& arrow : arrows) writer.write(arrow);
  writer.end();
}

}  // namespace railyard::sim
