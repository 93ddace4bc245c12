#include "collectives/traffic/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "collectives/traffic/connection_matrix.hpp"
#include "collectives/traffic/size_distribution.hpp"
#include "core/config/enum_names.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

/// A parsed pattern such as "poisson,load=0.5,bytes=64K".
class PatternText {
 public:
  PatternText(const std::string& text, const TrafficRequest& request)
      : text_(text), request_(request), draw_(request.seed) {
    std::size_t at = std::min(text.find(','), text.size());
    while (at < text.size()) {
      const std::size_t end = std::min(text.find(',', at + 1), text.size());
      const std::string word = text.substr(at + 1, end - at - 1);
      const std::size_t equal = std::min(word.find('='), word.size());
      values_.emplace_back(word.substr(0, equal), word.substr(std::min(equal + 1, word.size())));
      at = end;
    }
  }

  std::vector<Flow> permutation() {
    expect({"bytes", "start", "class", "verb"});
    const Bytes bytes = size("bytes");
    const Time start = time("start", Time());
    // Sattolo's shuffle: a single cycle through all ranks, so that no rank sends to itself.
    std::vector<std::uint32_t> to(request_.ranks);
    std::iota(to.begin(), to.end(), 0U);
    for (std::uint32_t i = request_.ranks; i-- > 1;) std::swap(to[i], to[below(i)]);
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < request_.ranks; ++i) flows.push_back({i, to[i], bytes, start});
    return flows;
  }

  std::vector<Flow> incast() {
    expect({"bytes", "start", "class", "verb", "senders", "to"});
    const Bytes bytes = size("bytes");
    const Time start = time("start", Time());
    const std::uint32_t to = count("to", 0, 0, request_.ranks - 1);
    const std::uint32_t senders = count("senders", request_.ranks - 1, 1, request_.ranks - 1);
    std::vector<Flow> flows;
    for (std::uint32_t i = 1; i <= senders; ++i)
      flows.push_back({(to + i) % request_.ranks, to, bytes, start});
    return flows;
  }

  std::vector<Flow> poisson() {
    expect({"bytes", "sizes", "load", "until", "start", "class", "verb"});
    const SizeDistribution sizes = distribution();
    const double load = share("load");
    const Time start = time("start", Time()), until = time("until", std::nullopt);
    if (until <= start) fail("until", "must be after start");
    const double gap = sizes.mean() * 8 / (load * bits_per_rank());  // seconds
    std::vector<Flow> flows;
    for (std::uint32_t source = 0; source < request_.ranks; ++source) {
      double at = start.seconds();
      while ((at -= gap * std::log1p(-uniform())) < until.seconds())
        flows.push_back({source, partner(source), sizes.quantile(uniform()),
                         Time::picoseconds(std::llround(at * 1e12))});
    }
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& a, const Flow& b) { return a.start < b.start; });
    if (flows.empty()) fail("until", "is so soon that no message begins before it");
    return flows;
  }

  /// The flows of a file: "FILE", "FILE,class=1" or "FILE,verb=read".
  std::vector<Flow> file() {
    for (const auto& [key, value] : values_)
      if (!value.empty() && key != "class" && key != "verb")
        throw InputError("", request_.flag,
                         core::unknown_name(text_.substr(0, text_.find(',')),
                                            {"permutation", "incast", "poisson"}));
    const std::string name = text_.substr(0, std::min(text_.find(",class="), text_.find(",verb=")));
    return parse_connection_matrix(core::read_text_file(name), name, request_.ranks);
  }
  [[nodiscard]] bool is_read() const {
    const std::string* verb = find("verb");
    if (verb == nullptr || *verb == "write") return false;
    if (*verb != "read") fail("verb", "is read or write");
    return true;
  }
  [[nodiscard]] std::uint32_t traffic_class() const { return count("class", 0, 0, kMostClass); }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw InputError("", request_.flag, fmt::format("'{}' {}", key, message),
                     "patterns: permutation,bytes=2M; incast,bytes=1M,senders=8,to=0; "
                     "poisson,load=0.5,bytes=64K,until=1ms");
  }
  void expect(const std::vector<std::string_view>& keys) const {
    for (const auto& [key, value] : values_)
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw InputError("", request_.flag, core::unknown_name(key, keys));
  }
  [[nodiscard]] const std::string* find(std::string_view key) const {
    for (const auto& [name, value] : values_)
      if (name == key) return &value;
    return nullptr;
  }
  [[nodiscard]] const std::string& text(const std::string& key) const {
    const std::string* found = find(key);
    if (found == nullptr) fail(key, "is missing");
    return *found;
  }
  [[nodiscard]] Bytes size(const std::string& key) const {
    const auto parsed = core::parse_size(text(key));
    if (!parsed.value) fail(key, parsed.error);
    if (*parsed.value <= Bytes()) fail(key, "must be at least 1 byte");
    return *parsed.value;
  }
  [[nodiscard]] Time time(const std::string& key, std::optional<Time> otherwise) const {
    if (otherwise && find(key) == nullptr) return *otherwise;
    const auto parsed = core::parse_time(text(key));
    if (!parsed.value) fail(key, parsed.error);
    if (*parsed.value < Time()) fail(key, "must not be negative");
    return *parsed.value;
  }
  [[nodiscard]] double share(const std::string& key) const {
    const std::string& value = text(key);
    std::size_t used = 0;
    double parsed = 0;
    try {
      parsed = std::stod(value, &used);
    } catch (const std::exception&) {
      fail(key, "needs a number");
    }
    if (used != value.size() || !(parsed > 0 && parsed <= 10)) fail(key, "must be in (0, 10]");
    return parsed;
  }
  [[nodiscard]] std::uint32_t count(const std::string& key, std::uint32_t otherwise,
                                    std::uint32_t least, std::uint32_t most) const {
    const std::string* value = find(key);
    if (value == nullptr) return otherwise;
    const bool is_number =
        !value->empty() && value->size() < 10 &&
        std::all_of(value->begin(), value->end(), [](char c) { return c >= '0' && c <= '9'; });
    const unsigned long parsed = is_number ? std::stoul(*value) : most + 1UL;
    if (parsed < least || parsed > most)
      fail(key, fmt::format("must be a number from {} to {}", least, most));
    return static_cast<std::uint32_t>(parsed);
  }
  [[nodiscard]] SizeDistribution distribution() const {
    const std::string* file = find("sizes");
    if (file == nullptr) return SizeDistribution(size("bytes"));
    if (find("bytes") != nullptr) fail("sizes", "and 'bytes' exclude each other");
    return SizeDistribution::parse(core::read_text_file(*file), *file);
  }

  [[nodiscard]] double uniform() { return static_cast<double>(draw_() >> 11) * 0x1p-53; }
  [[nodiscard]] std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(uniform() * n);
  }
  /// Another rank; on another node if there is one.
  [[nodiscard]] std::uint32_t partner(std::uint32_t source) {
    const topology::Cluster& cluster = request_.cluster;
    const auto node = [&](std::uint32_t rank) { return cluster.node_of(Rank(rank)); };
    const bool has_nodes = node(0) != node(request_.ranks - 1);
    while (true) {
      const std::uint32_t to = below(request_.ranks);
      if (to != source && (!has_nodes || node(to) != node(source))) return to;
    }
  }
  /// The total rate of the ports between NICs and switches, divided by the number of ranks.
  [[nodiscard]] double bits_per_rank() const {
    double sum = 0;
    for (const topology::Link& link : request_.cluster.links())
      if (link.kind == topology::LinkKind::port &&
          !topology::is_fabric_switch(request_.cluster.device(link.from).kind))
        sum += static_cast<double>(link.bandwidth.bits_per_second());
    if (sum == 0) fail("load", "is relative to NICs, and this cluster has none");
    return sum / static_cast<double>(request_.cluster.rank_count());
  }

  static constexpr std::uint32_t kMostClass = 7;  // IEEE 802.1Q has 8 priorities

  const std::string& text_;
  const TrafficRequest& request_;
  std::mt19937_64 draw_;
  Words values_;
};

struct Named {
  std::string_view name;
  std::vector<Flow> (PatternText::*make)();
};
constexpr std::array kPatterns{Named{"permutation", &PatternText::permutation},
                               Named{"incast", &PatternText::incast},
                               Named{"poisson", &PatternText::poisson}};

}  // namespace

std::vector<Flow> read_traffic(const std::string& text, const TrafficRequest& request) {
  if (request.ranks < 2) throw InputError("", request.flag, "traffic needs at least two ranks");
  const std::string name = text.substr(0, text.find(','));
  const auto* pattern = std::ranges::find(kPatterns, name, &Named::name);
  PatternText values(text, request);
  std::vector<Flow> flows = pattern == kPatterns.end() ? values.file() : (values.*pattern->make)();
  for (Flow& flow : flows) {
    flow.traffic_class = values.traffic_class();
    flow.is_read = values.is_read();
  }
  return flows;
}

Schedule schedule_of(const topology::Cluster& cluster, const Flow& flow) {
  Schedule::Parts parts;
  parts.algorithm = kMessage;
  parts.collective = {.kind = Kind::broadcast, .bytes = flow.bytes, .type = DataType::int8};
  parts.group = std::make_shared<const Group>(
      cluster, std::vector<Rank>{Rank(flow.source), Rank(flow.destination)});
  std::vector<Transfer> sends{{.source = 0, .destination = 1, .first_chunk = 0}};
  const ListPattern pattern{std::make_shared<const std::vector<Transfer>>(std::move(sends)), 0};
  parts.channels = {
      {.chunks_per_block = 1, .loops = {{1, Coupling::independent, {Step{pattern}}}}}};
  return Schedule(std::move(parts));
}

}  // namespace railyard::collectives
