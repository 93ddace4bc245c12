#include "topology/formats/smi_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

constexpr std::size_t kMaxDevices = 1024;
constexpr int kMaxLinks = 1000;

struct Entry {
  SmiRelation relation{};
  int nvlinks = 0;
};

/// The text without ANSI escape sequences (ESC [ ... letter), with which nvidia-smi underlines its
/// header.
std::string without_colours(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      ++i;
      while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) == 0) ++i;
    } else if (text[i] != '\r') {
      out += text[i];
    }
  }
  return out;
}

/// Throws InputError if the text has control characters: its names are written to XML and JSON,
/// which do not allow them.
void refuse_control_characters(std::string_view text, const std::string& file) {
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  };
  const auto found = std::find_if(text.begin(), text.end(), is_control);
  if (found == text.end()) return;
  const auto line = std::count(text.begin(), found, '\n') + 1;
  throw InputError(
      file, fmt::format("line {}", line),
      fmt::format("control character 0x{:02x} in a text file", static_cast<unsigned char>(*found)),
      "save the output of 'nvidia-smi topo -m' as it is");
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t start = line.find_first_not_of(" \t", i);
    if (start == std::string_view::npos) break;
    i = std::min(line.find_first_of(" \t", start), line.size());
    words.push_back(line.substr(start, i - start));
  }
  return words;
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value < 0) return {};
  return value;
}

std::optional<int> gpu_number(std::string_view name) {
  return name.starts_with("GPU") ? number_of(name.substr(3)) : std::nullopt;
}

std::optional<Entry> entry_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, SmiRelation>, 6> kWords{
      {{"X", SmiRelation::self},
       {"PIX", SmiRelation::pix},
       {"PXB", SmiRelation::pxb},
       {"PHB", SmiRelation::phb},
       {"NODE", SmiRelation::node},
       {"SYS", SmiRelation::sys}}};
  for (const auto& [text, relation] : kWords)
    if (word == text) return Entry{relation, 0};
  if (!word.starts_with("NV")) return {};
  const auto count = number_of(word.substr(2));
  if (!count || *count < 1 || *count > kMaxLinks) return {};
  return Entry{SmiRelation::nvlink, *count};
}

class MatrixReader {
 public:
  explicit MatrixReader(const std::string& file) : file_(file) {}

  std::vector<SmiDevice> read(std::string_view text) && {
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      ++line_;
      read_line(text.substr(start, end - start));
      start = end + 1;
    }
    if (devices_.empty())
      throw InputError(file_, "", "has no line of GPU0, GPU1, ...",
                       "it should be what nvidia-smi topo -m prints");
    for (const SmiDevice& device : devices_)
      if (device.relations.empty())
        throw InputError(file_, "", fmt::format("has no row of {}", device.name));
    check_symmetry();
    return std::move(devices_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) const {
    throw InputError(file_, fmt::format("line {}", line_), message, hint);
  }

  void read_line(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return;
    if (devices_.empty()) {
      if (gpu_number(words[0])) read_header(words);
      return;
    }
    if (words.size() == 2 && words[0].ends_with(':'))
      return read_legend(words[0].substr(0, words[0].size() - 1), words[1]);
    for (SmiDevice& device : devices_)
      if (device.name == words[0]) return read_row(device, words);
  }

  void read_header(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      if (word == "CPU" || word == "NUMA") break;
      SmiDevice device;
      device.name = device.title = word;
      device.is_gpu = gpu_number(word).has_value();
      device.number = gpu_number(word).value_or(0);
      for (const SmiDevice& other : devices_)
        if (other.name == device.name) refuse(fmt::format("{} is listed twice", device.name));
      devices_.push_back(std::move(device));
      if (devices_.size() > kMaxDevices) refuse(fmt::format("more than {} devices", kMaxDevices));
    }
  }

  void read_row(SmiDevice& device, const std::vector<std::string_view>& words) {
    if (!device.relations.empty()) refuse(fmt::format("a second row of {}", device.name));
    if (words.size() < devices_.size() + 1)
      refuse(fmt::format("{} entries, but the header has {} devices", words.size() - 1,
                         devices_.size()));
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const auto entry = entry_of(words[i + 1]);
      if (!entry)
        refuse(
            fmt::format("'{}' is not a relation of nvidia-smi topo -m", words[i + 1].substr(0, 40)),
            "X, NV#, PIX, PXB, PHB, NODE or SYS");
      const bool is_self = entry->relation == SmiRelation::self;
      if (is_self != (&devices_[i] == &device))
        refuse(fmt::format("{} to {} is {}", device.name, devices_[i].name, words[i + 1]));
      device.relations.push_back(entry->relation);
      device.nvlinks.push_back(entry->nvlinks);
    }
    // The last columns are CPU affinity and NUMA affinity: "0-47,96-143  0  N/A".
    if (words.size() > devices_.size() + 2) device.numa = number_of(words[devices_.size() + 2]);
  }

  void read_legend(std::string_view name, std::string_view title) {
    for (SmiDevice& device : devices_)
      if (device.name == name && !device.is_gpu) device.title = title;
  }

  void check_symmetry() const {
    for (std::size_t a = 0; a < devices_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (devices_[a].relations[b] != devices_[b].relations[a] ||
            devices_[a].nvlinks[b] != devices_[b].nvlinks[a])
          throw InputError(file_, "",
                           fmt::format("{} to {} and the reverse have different relations",
                                       devices_[b].name, devices_[a].name),
                           "is a line missing or cut off?");
  }

  const std::string& file_;
  std::vector<SmiDevice> devices_;
  int line_ = 0;
};

}  // namespace

std::vector<SmiDevice> read_smi_matrix(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > core::kMaxTextFile.count())
    throw InputError(file, "", fmt::format("is larger than {}", core::to_text(core::kMaxTextFile)));
  const std::string plain = without_colours(text);
  refuse_control_characters(plain, file);
  return MatrixReader(file).read(plain);
}

}  // namespace railyard::topology
