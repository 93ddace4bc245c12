#include "collectives/formats/traces/kineto_trace.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <istream>
#include <limits>
#include <string_view>

#include "collectives/formats/traces/compressed_file.hpp"
#include "collectives/formats/traces/trace_import.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostEvents = 50'000'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

/// Nanoseconds of a decimal number of microseconds, exact where it has at most three decimals: a
/// double of microseconds since 1970 keeps no nanoseconds.
std::int64_t nanoseconds(std::string_view text) {
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, whole);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1000 - 1;
  if (error != std::errc() || whole > kMost || whole < -kMost) return kNone;
  std::int64_t fraction = 0;
  if (rest != end && *rest == '.') {
    std::int64_t unit = 100;
    for (const char* digit = rest + 1; digit != end && *digit >= '0' && *digit <= '9'; ++digit) {
      fraction += unit * (*digit - '0');
      unit /= 10;
    }
  }
  const bool has_exponent = text.find_first_of("eE") != std::string_view::npos;
  if (has_exponent) {
    const double value = std::strtod(std::string(text).c_str(), nullptr) * 1e3;
    return std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : kNone;
  }
  return whole * 1000 + (text.starts_with('-') ? -fraction : fraction);
}

/// The whole numbers of "[0, 1, 2]"; nothing for a shortened list ("[0, 1, ..., 7]").
std::vector<std::uint32_t> numbers_of(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  if (text.find("..") != std::string_view::npos) return numbers;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = static_cast<std::size_t>(end - text.data());
    } else {
      ++at;
    }
  }
  return numbers;
}

bool is_uneven(const std::vector<std::uint32_t>& parts) {
  return std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) != parts.end();
}

/// One event while its members are read.
struct Event {
  std::string phase, category, name;
  std::int64_t begin = kNone, duration = kNone;
  std::int64_t thread = kNone;
  std::int64_t device = 0, stream = kNone, correlation = -1, bytes = -1;
  std::int64_t other_stream = -1, record = -1;
  KinetoCollective collective;
  std::int64_t dims_elements = -1;  ///< of "Input Dims"
  std::string dims_type;
};

/// Handles the events of nlohmann's parser (which does not recurse) and stores the data for a
/// replay.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(const std::string& file) { trace_.file = file; }

  KinetoTrace take() {
    if (!has_events_)
      throw InputError(trace_.file, "/traceEvents", "is missing",
                       "a PyTorch profile has a list of this name");
    if (trace_.gpu.empty())
      throw InputError(trace_.file, "/traceEvents", "has no event of a GPU",
                       "profile with ProfilerActivity.CUDA");
    return std::move(trace_);
  }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    return number(static_cast<std::int64_t>(std::min(value, kMost)));
  }
  bool number_float(number_float_t, const string_t& text) override {
    if (in_event_member()) {
      if (key() == "ts") event_.begin = nanoseconds(text);
      if (key() == "dur") event_.duration = nanoseconds(text);
    }
    return true;
  }
  bool string(string_t& value) override {
    text(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    open(false);
    if (is_event()) event_ = {};
    return true;
  }
  bool start_array(std::size_t) override {
    open(true);
    if (path_.size() == 2 && path_[0].key == "traceEvents") has_events_ = true;
    if (in_dims()) ++dims_lists_;
    if (in_dims() && dims_lists_ == 2) dims_product_ = 1;
    return true;
  }
  bool end_object() override {
    if (is_event()) end_event();
    path_.pop_back();
    return true;
  }
  bool end_array() override {
    if (in_dims() && --dims_lists_ == 1) add_dims();
    path_.pop_back();
    return true;
  }
  bool key(string_t& name) override {
    path_.back().key = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::string text = error.what();
    if (const std::size_t at = text.find("parse error"); at != std::string::npos) text.erase(0, at);
    for (char& c : text)
      if (c < ' ' || c > '~') c = '?';
    throw InputError(trace_.file, "", "is not JSON: " + text.substr(0, 200),
                     "the file may be truncated");
  }

 private:
  struct Level {
    bool is_list = false;
    std::string key;
  };

  void open(bool is_list) {
    if (path_.size() == kMaxDepth)
      throw InputError(trace_.file, "", fmt::format("is nested deeper than {} levels", kMaxDepth),
                       "is this the right file?");
    path_.push_back({is_list, {}});
  }
  [[nodiscard]] const std::string& key() const { return path_.back().key; }
  /// Whether the innermost object is an element of /traceEvents.
  [[nodiscard]] bool is_event() const {
    return path_.size() == 3 && path_[0].key == "traceEvents" && !path_[2].is_list;
  }
  [[nodiscard]] bool in_event_member() const { return is_event(); }
  [[nodiscard]] bool in_arguments() const {
    return path_.size() == 4 && path_[0].key == "traceEvents" && path_[2].key == "args";
  }
  [[nodiscard]] bool in_dims() const {
    return path_.size() >= 5 && path_[0].key == "traceEvents" && path_[2].key == "args" &&
           path_[3].key == "Input Dims";
  }
  [[nodiscard]] bool in_distributed() const {
    return path_.size() == 2 && path_[0].key == "distributedInfo";
  }
  [[nodiscard]] bool in_group() const {
    return path_.size() >= 4 && path_[0].key == "distributedInfo" && path_[1].key == "pg_config";
  }

  bool number(std::int64_t value) {
    if (in_dims()) {
      // Products beyond any memory saturate.
      constexpr std::int64_t kMost = std::int64_t{1} << 50;
      dims_product_ = value <= 0 || dims_product_ > kMost / value ? kMost : dims_product_ * value;
      if (value == 0) dims_product_ = 0;
    } else if (in_arguments()) {
      argument(value);
    } else if (in_event_member()) {
      if (key() == "ts") event_.begin = value > kNone / 2000 ? value * 1000 : kNone;
      if (key() == "dur") event_.duration = value < (std::int64_t{1} << 50) ? value * 1000 : kNone;
      if (key() == "tid") event_.thread = value;
    } else if (in_distributed() && (key() == "rank" || key() == "world_size")) {
      if (value < 0 || value > kMostTracedRanks)
        throw InputError(trace_.file, "/distributedInfo/" + key(),
                         fmt::format("{} is not from 0 to {}", value, kMostTracedRanks));
      (key() == "rank" ? trace_.rank : trace_.world_size) = static_cast<std::uint32_t>(value);
    } else if (in_group() && path_.size() == 5 && path_[3].key == "ranks") {
      if (!trace_.groups.empty() && value >= 0 && value < kMostTracedRanks)
        trace_.groups.back().ranks.push_back(static_cast<std::uint32_t>(value));
    }
    return true;
  }

  void argument(std::int64_t value) {
    const std::string& name = key();
    KinetoCollective& collective = event_.collective;
    if (name == "stream") event_.stream = value;
    if (name == "device") event_.device = value;
    if (name == "correlation") event_.correlation = value;
    if (name == "bytes") event_.bytes = value;
    if (name == "wait_on_stream") event_.other_stream = value;
    if (name == "wait_on_cuda_event_record_corr_id") event_.record = value;
    if (name == "In msg nelems") collective.elements_in = value;
    if (name == "Out msg nelems") collective.elements_out = value;
    if (name == "Group size") collective.group_size = value;
    if (name == "Src Rank") collective.source = value;
    if (name == "Dst Rank") collective.destination = value;
  }

  void text(const std::string& value) {
    if (in_arguments()) {
      KinetoCollective& collective = event_.collective;
      if (key() == "Collective name") collective.name = value;
      if (key() == "dtype") collective.type = value;
      if (key() == "Process Group Name") collective.group = value;
      if (key() == "Process Group Ranks") collective.ranks = numbers_of(value);
      if (key() == "In split size" || key() == "Out split size")
        collective.is_uneven = collective.is_uneven || is_uneven(numbers_of(value));
    } else if (in_event_member()) {
      if (key() == "ph") event_.phase = value;
      if (key() == "cat") event_.category = value;
      if (key() == "name") event_.name = value;
    } else if (in_group() && path_.size() == 4 && key() == "pg_name") {
      trace_.groups.push_back({value, {}});
    } else if (path_.size() == 5 && path_[0].key == "traceEvents" && path_[2].key == "args" &&
               path_[3].key == "Input type" && event_.dims_type.empty()) {
      event_.dims_type = value;
    }
  }

  /// The first list of numbers in "Input Dims" is the shape of the first tensor.
  void add_dims() {
    if (event_.dims_elements < 0) event_.dims_elements = dims_product_;
  }

  void end_event() {
    if (++trace_.events > kMostEvents)
      throw InputError(trace_.file, "", fmt::format("holds more than {} events", kMostEvents),
                       "is this the right file?");
    if (event_.phase != "X") return;
    const std::string& category = event_.category;
    if (category == "kernel" || category == "Kernel") return add_gpu(KinetoType::kernel);
    if (category == "gpu_memcpy" || category == "Memcpy") return add_gpu(KinetoType::copy);
    if (category == "gpu_memset" || category == "Memset") return add_gpu(KinetoType::set);
    if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime")
      return add_call();
    if (category == "cuda_sync") {
      trace_.waits.push_back({.name = event_.name,
                              .correlation = event_.correlation,
                              .stream = event_.stream == kNone ? -1 : event_.stream,
                              .other_stream = event_.other_stream,
                              .record = event_.record});
      return;
    }
    const bool is_host = category == "user_annotation" || category == "cpu_op";
    if (is_host && (event_.name.starts_with("nccl:") || !event_.collective.name.empty()))
      return add_annotation();
    ++trace_.unread;
  }

  [[nodiscard]] bool has_span() const {
    return event_.begin != kNone && event_.duration != kNone && event_.duration >= 0;
  }
  [[nodiscard]] KinetoSpan span() const { return {event_.begin, event_.begin + event_.duration}; }

  void add_gpu(KinetoType type) {
    if (!has_span() || event_.stream == kNone) {
      ++trace_.damaged;
      return;
    }
    const bool is_nccl = type == KinetoType::kernel &&
                         (event_.name.starts_with("nccl") || event_.name.starts_with("void nccl"));
    trace_.gpu.push_back({.name = std::move(event_.name),
                          .span = span(),
                          .device = event_.device,
                          .stream = event_.stream,
                          .correlation = event_.correlation,
                          .bytes = event_.bytes,
                          .type = type,
                          .is_nccl = is_nccl,
                          .collective = std::move(event_.collective)});
  }

  void add_call() {
    if (!has_span()) return;
    trace_.calls.push_back({.name = std::move(event_.name),
                            .span = span(),
                            .thread = event_.thread,
                            .correlation = event_.correlation});
  }

  void add_annotation() {
    if (!has_span()) return;
    KinetoCollective& collective = event_.collective;
    if (collective.name.empty()) collective.name = event_.name.substr(5);
    if (collective.elements_in < 0) collective.elements_in = event_.dims_elements;
    if (collective.type.empty()) collective.type = event_.dims_type;
    trace_.annotations.push_back(
        {.span = span(), .thread = event_.thread, .collective = std::move(collective)});
  }

  KinetoTrace trace_;
  std::vector<Level> path_;
  Event event_;
  bool has_events_ = false;
  int dims_lists_ = 0;
  std::int64_t dims_product_ = 1;
};

}  // namespace

KinetoTrace read_kineto(const std::string& file) {
  CompressedFile source(file);
  std::istream stream(&source);
  Handler handler(file);
  nlohmann::json::sax_parse(stream, &handler);
  return handler.take();
}

}  // namespace railyard::collectives
