#pragma once

#include <filesystem>

#include "hw/nccl/nccl_log.hpp"

namespace railyard::hw::nccl {

/// NCCL's log of this process, in a file. Unless the user has set them, NCCL_DEBUG becomes INFO,
/// NCCL_DEBUG_SUBSYS the subsystems that read_nccl_log supports, and NCCL_DEBUG_FILE a temporary
/// file, which the destructor deletes.
class LogFile {
 public:
  /// `wanted` false: no log, and read() returns an empty one. Must be created before NCCL's first
  /// call.
  explicit LogFile(bool wanted);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  [[nodiscard]] NcclLog read() const;

 private:
  std::filesystem::path path_;
  bool temporary_ = false;
};

}  // namespace railyard::hw::nccl
