#include "topology/formats/nccl_xml_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace railyard::topology {
namespace {

// An upper bound on the NVLinks between a GPU and one peer; a larger number is an error in the
// file.
constexpr int kMaxLinks = 1000;
// NVLink-C2C of Grace has 450 GB/s (450,000 MB/s) per direction. A value above 100 times that is an
// error in the file.
constexpr int kMaxC2cRate = 45'000'000;

class LinkReader {
 public:
  LinkReader(XmlNode& xml, const XmlDocument& document, Diagnostics& problems,
             std::vector<std::string>& notes)
      : out_(xml),
        xml_(document),
        problems_(problems),
        notes_(notes),
        attributes_(document, problems) {
    for_each_function_of(out_.node, [this](const PcieSpec& function) {
      if (function.kind == PcieKind::gpu) numbers_.push_back(*function.gpu);
    });
    for (std::size_t i = 0; i < out_.gpus.size(); ++i)
      by_busid_[{out_.gpus[i].host, out_.gpus[i].busid}] = i;
  }

  void read() && {
    for (std::size_t gpu = 0; gpu < out_.gpus.size(); ++gpu) {
      for (const std::size_t child : xml_[out_.gpus[gpu].element].children) {
        if (xml_[child].name == "nvlink" || xml_[child].name == "xgmi") read_nvlink(gpu, child);
        if (xml_[child].name == "c2c") read_c2c(gpu, child);
      }
    }
    mirror();
    // Ordered by GPU; the links of one GPU keep the order of the file.
    std::ranges::stable_sort(order_, {}, &Ends::first);
    for (const Ends& ends : order_)
      out_.node.nvlinks.push_back({ends.first, ends.second, counts_.at(ends)});
    if (absent_ > 0)
      notes_.push_back(fmt::format(
          "NVLinks to GPUs that are not in the file, left out as NCCL does: {}", absent_));
    if (to_itself_ > 0)
      notes_.push_back(fmt::format("NVLinks from a GPU to itself, left out: {}", to_itself_));
  }

 private:
  using Ends = std::pair<int, std::optional<int>>;

  void read_nvlink(std::size_t gpu, std::size_t element) {
    const int count = attributes_.integer(element, "count").value_or(1);
    if (count < 1 || count > kMaxLinks) {
      problems_.add(xml_.where(element),
                    fmt::format("count={} is not between 1 and {}", count, kMaxLinks));
      return;
    }
    const std::string target_class = attributes_.text(element, "tclass");
    const int from = numbers_[gpu];
    if (target_class.starts_with("0x068001")) {  // a POWER CPU with NVLinks
      add_c2c(gpu, out_.node.gpu.nvlink_bandwidth * count);
    } else if (is_gpu(target_class)) {
      read_peer(gpu, element, count);
    } else {
      // For NCCL every other class is an NVSwitch, and all NVSwitches are one device.
      add(from, std::nullopt, count);
    }
  }

  /// Resolves a target without a class attribute. Such files are written by hand; only GPUs can be
  /// found by their bus id.
  static bool is_gpu(std::string_view target_class) {
    return target_class.empty() || target_class.starts_with("0x03") ||
           target_class.starts_with("0x12");
  }

  void read_peer(std::size_t gpu, std::size_t element, int count) {
    std::string target = attributes_.text(element, "target");
    std::ranges::transform(target, target.begin(), [](unsigned char c) { return std::tolower(c); });
    const int host = out_.gpus[gpu].host;
    const auto peer = by_busid_.find({host, target});
    if (peer != by_busid_.end()) {
      if (peer->second == gpu) {
        to_itself_ += count;
      } else {
        add(numbers_[gpu], numbers_[peer->second], count);
      }
    } else if (const auto other = out_.functions.find({host, target});
               other != out_.functions.end()) {
      if (xml_[other->second].name == "pci" && holds_gpu(other->second)) {
        absent_ += count;  // the target is a GPU without a rank
      } else {
        problems_.add(xml_.where(element), fmt::format("target {} is no GPU (line {})", target,
                                                       xml_[other->second].line));
      }
    } else if (target.empty() ||
               target.find_first_not_of("0123456789abcdef:.") != std::string::npos) {
      problems_.add(xml_.where(element),
                    fmt::format("target=\"{}\" is not a bus id", target.substr(0, 40)),
                    "such as target=\"0000:1b:00.0\"");
    } else if (attributes_.text(element, "tclass").empty()) {
      problems_.add(xml_.where(element),
                    fmt::format("target {} is not in the file, and there is no tclass", target),
                    "tclass=\"0x068000\" is an NVSwitch");
    } else {
      absent_ += count;
    }
  }

  /// Links keep the order of the file, because NCCL tries equal links in that order.
  void add(int gpu, std::optional<int> peer, int count) {
    const Ends ends{gpu, peer};
    if (!counts_.contains(ends)) order_.push_back(ends);
    counts_[ends] += count;
  }

  bool holds_gpu(std::size_t pci) const {
    return std::ranges::any_of(xml_[pci].children,
                               [this](std::size_t child) { return xml_[child].name == "gpu"; });
  }

  void read_c2c(std::size_t gpu, std::size_t element) {
    const int rate = attributes_.integer(element, "bw").value_or(0);
    const int count = attributes_.integer(element, "count").value_or(1);
    if (rate < 1 || rate > kMaxC2cRate || count < 1 || count > kMaxLinks) {
      problems_.add(xml_.where(element),
                    "a c2c needs bw (MB/s of one link) and count, both positive");
      return;
    }
    add_c2c(gpu, Bandwidth::bytes_per_second(std::int64_t{1'000'000} * rate * count));
  }

  void add_c2c(std::size_t gpu, Bandwidth bandwidth) {
    const int numa = out_.node.cpus[out_.gpus[gpu].cpu].numa;
    for (C2cSpec& c2c : out_.node.c2c) {
      if (c2c.gpu != numbers_[gpu]) continue;
      c2c.bandwidth += bandwidth;
      return;
    }
    out_.node.c2c.push_back({numbers_[gpu], numa, bandwidth});
  }

  /// NVLinks are bidirectional: if a file lists only one direction, the other one is added.
  void mirror() {
    std::vector<Ends> missing;
    for (const Ends& ends : order_)
      if (ends.second && !counts_.contains({*ends.second, ends.first})) missing.push_back(ends);
    if (!missing.empty())
      notes_.push_back(fmt::format(
          "NVLinks listed at one end only, to which the other end is added: {}", missing.size()));
    for (const auto& [gpu, peer] : missing) add(*peer, gpu, counts_.at({gpu, peer}));
  }

  XmlNode& out_;
  const XmlDocument& xml_;
  Diagnostics& problems_;
  std::vector<std::string>& notes_;
  XmlAttributes attributes_;
  std::vector<int> numbers_;  ///< GPU number by index of XmlNode::gpus
  std::map<std::pair<int, std::string>, std::size_t> by_busid_;
  std::map<Ends, int> counts_;
  std::vector<Ends> order_;  ///< of counts_, as first listed
  int absent_ = 0, to_itself_ = 0;
};

}  // namespace

void read_xml_links(XmlNode& xml, const XmlDocument& document, Diagnostics& problems,
                    std::vector<std::string>& notes) {
  LinkReader(xml, document, problems, notes).read();
}

}  // namespace railyard::topology
