#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::hw {

/// A NUMA domain of this host.
struct NumaDomain {
  int number = 0;
  int cores = 0;       ///< logical CPUs that are online
  std::string cpumap;  ///< "00000000,00000003", as sysfs and NCCL write it
};

/// The processor: the properties by which NCCL distinguishes machines.
struct Processor {
  std::string arch = "x86_64";  ///< x86_64, arm64, ppc64
  std::string vendor, name;
  int family = 0, model = 0;
};

/// A PCI function, as sysfs describes it.
struct PciFunction {
  std::string address;             ///< "0000:1b:00.0"
  std::vector<std::string> above;  ///< addresses from the root port down, without its own address
  std::string class_code, vendor, device, subsystem_vendor, subsystem_device;
  int numa = 0;
  std::string link_speed;  ///< "32.0 GT/s PCIe"; "" if it has no link
  int link_width = 0;
};

/// A port that the host can send over.
struct NicPort {
  std::string name;     ///< "mlx5_0", "eth0"
  std::string address;  ///< of its PCI function; "" for virtual ones
  bool verbs = false;   ///< InfiniBand or RoCE, else a socket interface
  bool infiniband = false;
  int port = 1;
  std::string guid;
  Bandwidth rate;  ///< zero: not known
};

/// The kernel's information about this host.
struct Machine {
  std::string host;
  Processor processor;
  std::vector<NumaDomain> numas;
  std::vector<PciFunction> functions;  ///< by address
  std::vector<NicPort> ports;          ///< in natural order of names; only those that are up
  Bytes memory;
  Bytes cache;  ///< last-level caches together; zero: not known
};

/// Reads /sys and /proc below `root` ("/", or a copy for tests). Omits verbs ports that are not
/// active, and interfaces that are down, loopback, or part of a bridge or bond. Values whose files
/// are missing keep their defaults.
[[nodiscard]] Machine read_machine(const std::filesystem::path& root);

/// The function with that address, or nullptr.
[[nodiscard]] const PciFunction* find_function(const Machine& machine, std::string_view address);

}  // namespace railyard::hw
