#include <filesystem>
#include <stdlib.h>
#include <string>
#include <unistd.h>

// ctest runs tests as processes at the same time. Each gets a folder of its own as
// ::testing::TempDir(), so that they may use the same names for files there. Every test executable
// contains this file.

namespace railyard {
namespace {

class ScratchOfProcess {
 public:
  ScratchOfProcess() {
    const char* const given = getenv("TEST_TMPDIR");
    const std::filesystem::path base = given ? given : std::filesystem::temp_directory_path();
    std::string name = (base / "railyard_tests_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    setenv("TEST_TMPDIR", name.c_str(), 1);
  }
  ~ScratchOfProcess() {
    std::error_code ignored;
    if (!path_.empty() && getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  ScratchOfProcess(const ScratchOfProcess&) = delete;
  ScratchOfProcess& operator=(const ScratchOfProcess&) = delete;

 private:
  std::filesystem::path path_;
  pid_t owner_ = getpid();
};

const ScratchOfProcess kScratch;

}  // namespace
}  // namespace railyard
