#include "topology/formats/ib_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

constexpr int kMaxPorts = 4096;  // of one switch or adapter; the largest switch chip has 144

struct Rate {
  std::string_view name;
  int megabits;  ///< of one lane
};
// Rate of one lane in Mb/s, as in NCCL (NCCL 2.30.7 src/transport/net_ib, ibvSpeeds).
constexpr auto kRates = std::to_array<Rate>({{"SDR", 2'500},
                                             {"DDR", 5'000},
                                             {"QDR", 10'000},
                                             {"FDR10", 10'000},
                                             {"FDR", 14'000},
                                             {"EDR", 25'000},
                                             {"HDR", 50'000},
                                             {"NDR", 100'000},
                                             {"XDR", 200'000}});

/// The rate such as "4xNDR" at the end of a line; nothing if there is none.
std::optional<Bandwidth> rate_of(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())))
    line.remove_suffix(1);
  const std::size_t blank = line.find_last_of(" \t");
  const std::string_view word = blank == std::string_view::npos ? line : line.substr(blank + 1);
  const std::size_t x = word.find('x');
  int lanes = 0;
  if (x == std::string_view::npos ||
      std::from_chars(word.data(), word.data() + x, lanes).ptr != word.data() + x)
    return {};
  if (lanes < 1 || lanes > 12) return {};
  for (const Rate& rate : kRates)
    if (word.substr(x + 1) == rate.name)
      return Bandwidth::megabits_per_second(std::int64_t{rate.megabits} * lanes);
  return {};
}

/// The text between the n-th pair of quotes; nothing if there is none.
std::optional<std::string_view> quoted(std::string_view line, int n = 0) {
  for (;; --n) {
    const std::size_t open = line.find('"');
    if (open == std::string_view::npos) return {};
    const std::size_t close = line.find('"', open + 1);
    if (close == std::string_view::npos) return {};
    if (n == 0) return line.substr(open + 1, close - open - 1);
    line.remove_prefix(close + 1);
  }
}

/// Reads a number such as "[12]" at the beginning of the text and removes it from the text.
std::optional<int> bracketed(std::string_view& line) {
  if (!line.starts_with('[')) return {};
  const std::size_t close = line.find(']');
  int port = 0;
  const char* const end = line.data() + std::min(close, line.size());
  const auto [rest, error] = std::from_chars(line.data() + 1, end, port);
  if (close == std::string_view::npos || error != std::errc() || rest != end) return {};
  if (port < 0 || port > kMaxPorts) return {};
  line.remove_prefix(close + 1);
  return port;
}

/// Parses the blocks of the text into devices and cables.
class BlockReader {
 public:
  BlockReader(std::string_view text, Diagnostics& problems) : text_(text), problems_(problems) {}

  IbBlocks read() && {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      ++line_;
      read_line(text_.substr(start, end - start));
      start = end + 1;
    }
    for (const auto& [ends, wire] : found_) {
      out_.wires.push_back(wire);
      if (wire.bandwidth == Bandwidth()) ++out_.without_rate;
    }
    if (out_.nodes.empty() && problems_.empty())
      problems_.add("", "has no Switch or Ca block", "ibnetdiscover prints them");
    return std::move(out_);
  }

 private:
  std::string where() const { return fmt::format("line {}", line_); }

  void read_line(std::string_view line) {
    if (line.starts_with("Switch")) return read_header(line, IbNodeKind::network_switch);
    if (line.starts_with("Ca")) return read_header(line, IbNodeKind::adapter);
    if (line.starts_with("Rt")) return read_header(line, IbNodeKind::router);
    if (line.starts_with("[")) return read_port(line);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) current_.clear();
  }

  /// Reads the first line of a block:
  ///   Switch 41 "S-b8..."   # "MF0;leaf1:MQM8700/U1" enhanced port 0 lid 1 lmc 0
  void read_header(std::string_view line, IbNodeKind kind) {
    const auto name = quoted(line);
    const auto guid = name ? guid_of(*name) : std::nullopt;
    if (!guid) {
      problems_.add(where(), "a block without the node's \"S-guid\" or \"H-guid\"");
      current_.clear();
      return;
    }
    current_ = *guid;
    const IbNode device{kind, *guid, std::string(quoted(line, 1).value_or("")), line_};
    const auto [at, added] = out_.nodes.try_emplace(*guid, device);
    if (!added)
      problems_.add(where(),
                    fmt::format("node {} is already that of line {}", *guid, at->second.line));
  }

  static std::optional<std::string> guid_of(std::string_view name) {
    if (name.size() < 3 || name.size() > 40 || name[1] != '-') return {};
    std::string guid(name.substr(2));
    if (guid.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return {};
    std::ranges::transform(guid, guid.begin(), [](unsigned char c) { return std::tolower(c); });
    return guid;
  }

  /// Reads the line of a port (adapters have the port's GUID in parentheses):
  ///   [1](ec0d...) "S-b8..."[17]  # lid 5 lmc 0 "leaf1" lid 1 4xHDR
  void read_port(std::string_view line) {
    const std::string_view whole = line;
    const auto port = bracketed(line);
    if (line.starts_with("[ext")) line.remove_prefix(std::min(line.find(']'), line.size() - 1) + 1);
    if (line.starts_with('(')) line.remove_prefix(std::min(line.find(')'), line.size() - 1) + 1);
    const auto peer = quoted(line);
    const auto guid = peer ? guid_of(*peer) : std::nullopt;
    if (!port || !guid) {
      problems_.add(where(), "is not a port: [1] \"S-guid\"[2]");
      return;
    }
    line.remove_prefix(static_cast<std::size_t>(peer->data() + peer->size() + 1 - line.data()));
    const auto peer_port = bracketed(line);
    if (!peer_port) {
      problems_.add(where(), "has no port of the other end: \"S-guid\"[2]");
      return;
    }
    if (current_.empty()) {
      problems_.add(where(), "a port outside of a Switch or Ca block");
      return;
    }
    add_wire({current_, *port}, {*guid, *peer_port}, rate_of(whole));
  }

  void add_wire(IbEnd near, IbEnd far, std::optional<Bandwidth> rate) {
    if (far < near) std::swap(near, far);
    if (near == far) return problems_.add(where(), "a port that is cabled to itself");
    const auto [at, added] =
        found_.try_emplace({near, far}, IbWire{near, far, rate.value_or(Bandwidth())});
    if (added) {
      for (const IbEnd& end : {near, far})
        if (!taken_.insert(end).second)
          problems_.add(where(), fmt::format("port {} of {} has two cables", end.port, end.guid));
    } else if (rate && at->second.bandwidth == Bandwidth()) {
      at->second.bandwidth = *rate;
    }
  }

  std::string_view text_;
  Diagnostics& problems_;
  IbBlocks out_;
  std::string current_;
  std::map<std::pair<IbEnd, IbEnd>, IbWire> found_;
  std::set<IbEnd> taken_;
  int line_ = 0;
};

}  // namespace

IbBlocks read_ib_blocks(std::string_view text, const std::string& file) {
  Diagnostics problems(file);
  IbBlocks blocks = BlockReader(text, problems).read();
  problems.throw_if_any();
  return blocks;
}

}  // namespace railyard::topology
