#include "hw/nccl/log_file.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace railyard::hw::nccl {

LogFile::LogFile(bool wanted) {
  if (!wanted) return;
  setenv("NCCL_DEBUG", "INFO", 0);
  setenv("NCCL_DEBUG_SUBSYS", "INIT,GRAPH,TUNING,NET,ENV", 0);
  const char* file = std::getenv("NCCL_DEBUG_FILE");
  temporary_ = file == nullptr;
  path_ = temporary_ ? std::filesystem::temp_directory_path() /
                           fmt::format("railyard-nccl-{}.log", getpid())
                     : std::filesystem::path(file);
  if (temporary_) setenv("NCCL_DEBUG_FILE", path_.c_str(), 1);
}

LogFile::~LogFile() {
  if (!temporary_) return;
  unsetenv("NCCL_DEBUG_FILE");
  std::error_code error;
  std::filesystem::remove(path_, error);
}

NcclLog LogFile::read() const {
  if (path_.empty()) return {};
  std::ifstream file(path_);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return read_nccl_log(text);
}

}  // namespace railyard::hw::nccl
