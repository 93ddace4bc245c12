#include "hw/probe/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace railyard::hw {
namespace {

namespace fs = std::filesystem;

/// The first line of a file; "" if it cannot be read.
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int number_of(std::string_view text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Names in a folder, in natural order: mlx5_2 before mlx5_10.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    if (a.size() != b.size() && a.find_first_of("0123456789") == b.find_first_of("0123456789") &&
        a.substr(0, a.find_last_not_of("0123456789") + 1) ==
            b.substr(0, b.find_last_not_of("0123456789") + 1))
      return a.size() < b.size();
    return a < b;
  });
  return names;
}

/// "0-3,8" is five.
int count_of_list(const std::string& list) {
  int count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const int first = number_of(range, -1);
    if (first < 0) continue;
    const int last = dash == std::string::npos
                         ? first
                         : number_of(std::string_view(range).substr(dash + 1), first);
    count += last - first + 1;
  }
  return count;
}

bool is_pci_address(std::string_view name) {
  // 0000:1b:00.0
  return name.size() >= 12 && name[name.size() - 2] == '.' && name[name.size() - 5] == ':' &&
         name[name.size() - 8] == ':';
}

std::vector<NumaDomain> read_numas(const fs::path& root) {
  std::vector<NumaDomain> numas;
  const fs::path folder = root / "sys/devices/system/node";
  for (const std::string& name : names_in(folder)) {
    if (!name.starts_with("node")) continue;
    const int number = number_of(std::string_view(name).substr(4), -1);
    if (number < 0) continue;
    NumaDomain numa{.number = number,
                    .cores = count_of_list(line_of(folder / name / "cpulist")),
                    .cpumap = line_of(folder / name / "cpumap")};
    if (numa.cores > 0) numas.push_back(std::move(numa));  // memory alone is no place for ranks
  }
  if (numas.empty()) {
    numas.push_back({.number = 0,
                     .cores = count_of_list(line_of(root / "sys/devices/system/cpu/online")),
                     .cpumap = {}});
  }
  return numas;
}

Processor read_processor(const fs::path& root) {
  Processor processor;
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::string value = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
    if (key == "vendor_id") processor.vendor = value;
    if (key == "cpu family") processor.family = number_of(value, 0);
    if (key == "model") processor.model = number_of(value, 0);
    if (key == "model name") processor.name = value;
    if (key == "CPU implementer") processor.arch = "arm64";
    if (key == "cpu" && value.starts_with("POWER")) processor.arch = "ppc64";
  }
  return processor;
}

Bytes read_memory(const fs::path& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  return file >> key >> kibibytes && key == "MemTotal:" ? Bytes(kibibytes * 1024) : Bytes();
}

/// "32768K".
std::int64_t cache_bytes(const std::string& text) {
  const int number = number_of(text, 0);
  const std::int64_t unit = text.ends_with('K') ? 1024 : text.ends_with('M') ? 1 << 20 : 1;
  return number * unit;
}

/// The caches of the highest level, each once: CPUs that share one list the same CPUs.
Bytes read_cache(const fs::path& root) {
  int highest = 0;
  std::map<std::string, std::int64_t> caches;
  const fs::path folder = root / "sys/devices/system/cpu";
  for (const std::string& cpu : names_in(folder)) {
    if (!cpu.starts_with("cpu") || number_of(std::string_view(cpu).substr(3), -1) < 0) continue;
    for (const std::string& index : names_in(folder / cpu / "cache")) {
      const fs::path cache = folder / cpu / "cache" / index;
      const int level = number_of(line_of(cache / "level"), 0);
      if (level == 0 || level < highest) continue;
      if (level > highest) caches.clear();
      highest = level;
      caches[line_of(cache / "shared_cpu_list")] = cache_bytes(line_of(cache / "size"));
    }
  }
  std::int64_t all = 0;
  for (const auto& [cpus, bytes] : caches) all += bytes;
  return Bytes(all);
}

/// The folder of a device that a link in sysfs leads to, within `root`.
fs::path resolved(const fs::path& link) {
  std::error_code error;
  const fs::path path = fs::canonical(link, error);
  return error ? fs::path() : path;
}

PciFunction read_function(const fs::path& folder) {
  PciFunction function;
  for (const fs::path& part : folder) {
    if (is_pci_address(part.string())) function.above.push_back(part.string());
  }
  if (!function.above.empty()) function.above.pop_back();
  function.address = folder.filename().string();
  function.class_code = line_of(folder / "class");
  function.vendor = line_of(folder / "vendor");
  function.device = line_of(folder / "device");
  function.subsystem_vendor = line_of(folder / "subsystem_vendor");
  function.subsystem_device = line_of(folder / "subsystem_device");
  function.numa = std::max(0, number_of(line_of(folder / "numa_node"), 0));
  // The maximum speed of the link, as NCCL reads it, because idle GPUs slow down their links.
  const std::string speed = line_of(folder / "max_link_speed");
  if (speed.find("GT/s") != std::string::npos) function.link_speed = speed;
  function.link_width = number_of(line_of(folder / "max_link_width"), 0);
  if (function.link_width > 32) function.link_width = 0;  // 255: not known
  return function;
}

std::vector<PciFunction> read_functions(const fs::path& root) {
  std::vector<PciFunction> functions;
  const fs::path folder = root / "sys/bus/pci/devices";
  for (const std::string& name : names_in(folder)) {
    if (const fs::path path = resolved(folder / name); !path.empty())
      functions.push_back(read_function(path));
  }
  return functions;
}

/// The PCI function that a class device belongs to, or "".
std::string function_of(const fs::path& device) {
  for (fs::path path = resolved(device); path.has_relative_path(); path = path.parent_path()) {
    if (is_pci_address(path.filename().string())) return path.filename().string();
  }
  return {};
}

/// "400 Gb/sec (4X NDR)".
Bandwidth verbs_rate(const std::string& text) {
  const double gigabits = std::strtod(text.c_str(), nullptr);
  return Bandwidth::bits_per_second(static_cast<std::int64_t>(gigabits * 1e9));
}

void read_verbs(const fs::path& root, std::vector<NicPort>& ports) {
  const fs::path folder = root / "sys/class/infiniband";
  for (const std::string& name : names_in(folder)) {
    for (const std::string& number : names_in(folder / name / "ports")) {
      const fs::path port = folder / name / "ports" / number;
      if (line_of(port / "state").find("ACTIVE") == std::string::npos) continue;
      ports.push_back({.name = name,
                       .address = function_of(folder / name / "device"),
                       .verbs = true,
                       .infiniband = line_of(port / "link_layer") == "InfiniBand",
                       .port = number_of(number, 1),
                       .guid = line_of(folder / name / "node_guid"),
                       .rate = verbs_rate(line_of(port / "rate"))});
    }
  }
}

void read_interfaces(const fs::path& root, std::vector<NicPort>& ports) {
  const fs::path folder = root / "sys/class/net";
  constexpr int kEthernet = 1;  // ARPHRD_ETHER of linux/if_arp.h
  for (const std::string& name : names_in(folder)) {
    const fs::path net = folder / name;
    const bool is_down = line_of(net / "operstate") == "down";
    const bool is_member = fs::exists(net / "master") || fs::exists(net / "bridge") ||
                           name.starts_with("docker") || name.starts_with("virbr") ||
                           name.starts_with("ifb") || name.starts_with("dummy");
    if (number_of(line_of(net / "type"), 0) != kEthernet || is_down || is_member) continue;
    const std::string address = function_of(net / "device");
    const auto megabits = static_cast<std::int64_t>(number_of(line_of(net / "speed"), 0));
    ports.push_back(
        {.name = name,
         .address = address,
         .verbs = false,
         .infiniband = false,
         .port = 1,
         .guid = {},
         .rate = Bandwidth::bits_per_second(std::max<std::int64_t>(megabits, 0) * 1'000'000)});
  }
}

}  // namespace

Machine read_machine(const fs::path& root) {
  Machine machine;
  machine.host = line_of(root / "proc/sys/kernel/hostname");
  machine.processor = read_processor(root);
  machine.numas = read_numas(root);
  machine.functions = read_functions(root);
  machine.memory = read_memory(root);
  machine.cache = read_cache(root);
  read_verbs(root, machine.ports);
  read_interfaces(root, machine.ports);
  return machine;
}

const PciFunction* find_function(const Machine& machine, std::string_view address) {
  const auto found = std::ranges::find(machine.functions, address, &PciFunction::address);
  return found == machine.functions.end() ? nullptr : &*found;
}

}  // namespace railyard::hw
