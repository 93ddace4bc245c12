#pragma once

#include <memory>
#include <optional>
#include <string>

namespace railyard::hw {

/// Reads power and clock of GPUs through NVML while they work.
class NvmlMeter {
 public:
  /// Loads libnvidia-ml.so.1 from `folder` ("": the loader's paths). If the library or the driver
  /// is missing, absent() returns the reason and nothing is read.
  explicit NvmlMeter(const std::string& folder);
  ~NvmlMeter();
  NvmlMeter(const NvmlMeter&) = delete;
  NvmlMeter& operator=(const NvmlMeter&) = delete;

  [[nodiscard]] const std::string& absent() const { return absent_; }
  /// "NVIDIA H100 80GB HBM3"; "" if NVML does not report the GPU.
  [[nodiscard]] std::string name(const std::string& address) const;
  /// Power in W of the GPU at a PCI address ("0000:1b:00.0"); empty if NVML does not report it.
  [[nodiscard]] std::optional<double> watts(const std::string& address) const;
  /// Clock of the multiprocessors in MHz; empty if NVML does not report it.
  [[nodiscard]] std::optional<double> megahertz(const std::string& address) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string absent_;
};

}  // namespace railyard::hw
