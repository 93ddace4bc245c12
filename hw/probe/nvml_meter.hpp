#pragma once

#include <memory>
#include <optional>
#include <string>

namespace railyard::hw {

/// Power and clock of GPUs, read through NVML while they work.
class NvmlMeter {
 public:
  /// Loads libnvidia-ml.so.1 from `folder` ("": where the loader looks). Where the library or the
  /// driver is missing, absent() has the reason and nothing is read.
  explicit NvmlMeter(const std::string& folder);
  ~NvmlMeter();
  NvmlMeter(const NvmlMeter&) = delete;
  NvmlMeter& operator=(const NvmlMeter&) = delete;

  [[nodiscard]] const std::string& absent() const { return absent_; }
  /// "NVIDIA H100 80GB HBM3"; "" where NVML does not know the GPU.
  [[nodiscard]] std::string name(const std::string& address) const;
  /// For the GPU at a PCI address ("0000:1b:00.0"); empty if NVML does not report it.
  [[nodiscard]] std::optional<double> watts(const std::string& address) const;
  /// Clock of the multiprocessors.
  [[nodiscard]] std::optional<double> megahertz(const std::string& address) const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  std::string absent_;
};

}  // namespace railyard::hw
