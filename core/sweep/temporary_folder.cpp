#include "core/sweep/temporary_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;
constexpr const char* kLock = "lock";
constexpr std::size_t kRandomLetters = 6;

/// Takes the lock of a folder; -1 if it is held or missing.
int free_lock(const fs::path& folder) {
  const int lock = open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  close(lock);
  return -1;
}

/// Whether a folder without a lock file is older than the creation of a folder takes.
bool is_old(const fs::path& folder) {
  std::error_code failure;
  const auto changed = fs::last_write_time(folder, failure);
  return !failure && fs::file_time_type::clock::now() - changed > std::chrono::hours(1);
}

void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kRandomLetters) continue;
    const bool has_lock = fs::exists(entry.path() / kLock, failure);
    const int lock = has_lock ? free_lock(entry.path()) : -1;
    if (lock < 0 && (has_lock || !is_old(entry.path()))) continue;
    fs::remove_all(entry.path(), failure);  // those of other users stay
    if (lock >= 0) close(lock);
  }
}

[[noreturn]] void refuse(const std::string& folder) {
  throw InputError(folder, "", fmt::format("cannot be made: {}", std::strerror(errno)),
                   "set TMPDIR to a folder that can be written");
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  const fs::path parent = fs::temp_directory_path();
  remove_abandoned(parent, prefix);
  // Another process may treat the folder as abandoned before it is locked.
  while (lock_ < 0) {
    std::string pattern = (parent / (prefix + std::string(kRandomLetters, 'X'))).string();
    if (mkdtemp(pattern.data()) == nullptr) refuse(pattern);
    path_ = pattern;
    lock_ = open((path_ / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0 && errno != ENOENT) refuse(pattern);
    if (lock_ < 0) continue;
    flock(lock_, LOCK_EX);
    if (fs::exists(path_ / kLock)) return;
    close(lock_);
    lock_ = -1;
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  std::filesystem::remove_all(path_, failure);
  if (lock_ >= 0) close(lock_);
}

}  // namespace railyard::core::sweep
