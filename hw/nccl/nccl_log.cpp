#include "hw/nccl/nccl_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <span>

namespace railyard::hw::nccl {
namespace {

using collectives::Kind;

/// ncclAlgoStr and ncclProtoStr of src/graph/tuning.cc (2.30.7), in the order of their numbers.
constexpr std::array<std::string_view, 7> kAlgorithms{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols{"ll", "ll128", "simple"};

constexpr std::array<std::pair<std::string_view, Kind>, 7> kKinds{
    {{"AllReduce", Kind::all_reduce},
     {"AllGather", Kind::all_gather},
     {"ReduceScatter", Kind::reduce_scatter},
     {"Broadcast", Kind::broadcast},
     {"Reduce", Kind::reduce},
     {"AlltoAll", Kind::all_to_all},
     {"AllToAll", Kind::all_to_all}}};

/// A position in a line. Each step advances it, or fails and leaves it.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool skip_past(std::string_view text) {
    const std::size_t at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }
  template <class Number>
  bool number(Number& value) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  std::string_view word() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    const std::string_view found = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(found.size());
    return found;
  }

 private:
  std::string_view rest_;
};

/// A name in lower case, or the name with a number; "" for an unknown number.
std::string named(std::string_view word, std::span<const std::string_view> names) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size())
    return number < names.size() ? std::string(names[number]) : std::string();
  std::string lower(word);
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

std::optional<Kind> kind_before(std::string_view head) {
  for (const auto& [name, kind] : kKinds) {
    if (head.ends_with(name) &&
        (head.size() == name.size() || head[head.size() - name.size() - 1] == ' '))
      return kind;
  }
  return std::nullopt;
}

/// "AllReduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..3}".
void read_choice(std::string_view line, NcclLog& log) {
  const std::size_t marker = line.find(" Bytes -> Algo ");
  if (marker == std::string_view::npos) return;
  const std::size_t before = line.rfind(' ', marker - 1);
  LoggedChoice choice;
  std::int64_t bytes = 0;
  Cursor amount(line.substr(before == std::string_view::npos ? 0 : before + 1));
  if (!amount.number(bytes) || !amount.skip(" Bytes -> Algo ")) return;
  choice.bytes = Bytes(bytes);
  choice.algorithm = named(amount.word(), kAlgorithms);
  if (amount.word() != "proto") return;
  choice.protocol = named(amount.word(), kProtocols);
  int low = 0;
  int high = 0;
  if (amount.skip_past("={") && amount.number(low) && amount.skip("..") && amount.number(high))
    choice.channels = high - low + 1;
  if (before != std::string_view::npos && before > 0 && line[before - 1] == ':')
    choice.kind = kind_before(line.substr(0, before - 1));
  log.choices.push_back(std::move(choice));
}

/// "16 coll channels, 16 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per
/// peer".
void read_channels(std::string_view line, NcclLog& log) {
  const auto count_before = [&](std::string_view what) -> std::optional<int> {
    const std::size_t at = line.find(what);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    const std::size_t space = line.rfind(' ', at - 1);
    int count = 0;
    Cursor cursor(line.substr(space == std::string_view::npos ? 0 : space + 1));
    if (!cursor.number(count)) return std::nullopt;
    return count;
  };
  const auto collective = count_before(" coll channels");
  if (!collective) return;
  log.channels = collective;
  log.nvls_channels = count_before(" nvls channels");
  log.p2p_channels = count_before(" p2p channels,");
}

/// "Channel 00/0 : 0[0] -> 9[1] [send] via NET/IB/0(8)/GDRDMA": the rank in parentheses relays.
void read_connection(std::string_view line, NcclLog& log) {
  Cursor cursor(line);
  LoggedRelay relay;
  if (!cursor.skip_past("Channel ") || !cursor.skip_past(" : ") || !cursor.number(relay.source) ||
      !cursor.skip_past("-> ") || !cursor.number(relay.destination) ||
      !cursor.skip_past("[send] via NET/"))
    return;
  ++log.network_connections;
  if (!cursor.skip_past("(") || !cursor.number(relay.relay) || !cursor.skip(")")) return;
  if (relay.relay != relay.source && std::ranges::find(log.relays, relay) == log.relays.end())
    log.relays.push_back(relay);
}

void read_rings(std::string_view line, NcclLog& log) {
  Cursor cursor(line);
  int uses = 0;
  if (cursor.skip_past("use ring PXN ") && cursor.number(uses)) log.ring_uses_pxn = uses != 0;
}

void read_version(std::string_view line, NcclLog& log) {
  Cursor cursor(line);
  if (log.version.empty() && cursor.skip_past("NCCL version ")) log.version = cursor.word();
}

}  // namespace

NcclLog read_nccl_log(std::string_view text) {
  NcclLog log;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    read_version(line, log);
    read_choice(line, log);
    read_channels(line, log);
    read_connection(line, log);
    read_rings(line, log);
  }
  return log;
}

const LoggedChoice* find_choice(const NcclLog& log, Kind kind, Bytes bytes) {
  for (auto choice = log.choices.rbegin(); choice != log.choices.rend(); ++choice) {
    if (choice->bytes == bytes && choice->kind.value_or(kind) == kind) return &*choice;
  }
  return nullptr;
}

}  // namespace railyard::hw::nccl
