#include "core/config/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test, removed at its end.
class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string name = (fs::temp_directory_path() / "railyard-output-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(OutputFile, CreatesAFileWithThePermissionsOfTheMask) {
  const mode_t mask = ::umask(027);
  write_file(path("new"), [](std::ostream& out) { out << "text"; });
  ::umask(mask);
  EXPECT_EQ(content("new"), "text");
  struct stat made {};
  ASSERT_EQ(::stat(path("new").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0640u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, ReplacesAFileAndKeepsItsPermissions) {
  put("old", "OLD");
  ASSERT_EQ(::chmod(path("old").c_str(), 0600), 0);
  write_file(path("old"), [&](std::ostream& out) {
    out << "half" << std::flush;
    EXPECT_EQ(content("old"), "OLD");  // until the last byte is written
    out << " and half";
  });
  EXPECT_EQ(content("old"), "half and half");
  struct stat made {};
  ASSERT_EQ(::stat(path("old").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
}

TEST_F(OutputFile, AnExceptionLeavesTheOldFileAndNothingElse) {
  put("old", "OLD");
  EXPECT_THROW(write_file(path("old"),
                          [](std::ostream& out) {
                            out << "half" << std::flush;
                            throw std::runtime_error("a bug");
                          }),
               std::runtime_error);
  EXPECT_EQ(content("old"), "OLD");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, AKilledProcessLeavesTheOldFile) {
  put("old", "OLD");
  const pid_t child = ::fork();
  if (child == 0) {
    write_file(path("old"), [](std::ostream& out) {
      out << "half" << std::flush;
      ::kill(::getpid(), SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(content("old"), "OLD");
}

TEST_F(OutputFile, AFullDiskIsAnErrorAndLeavesTheOldFile) {
  put("old", "OLD");
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit of the size of files fails writes as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      write_file(path("old"), [](std::ostream& out) { out << std::string(100'000, 'x'); });
    } catch (const InputError&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content("old"), "OLD");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, ADeviceIsWrittenInPlaceAndItsErrorReported) {
  write_file("/dev/null", [](std::ostream& out) { out << "text"; });
  try {
    write_file("/dev/full", [](std::ostream& out) { out << "text"; });
    FAIL() << "/dev/full took text";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(OutputFile, ALinkStaysALink) {
  put("target", "OLD");
  fs::create_symlink("target", path("link"));
  write_file(path("link"), [](std::ostream& out) { out << "new"; });
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content("target"), "new");
}

TEST_F(OutputFile, AMissingFolderAndAFolderAreErrors) {
  const auto nothing = [](std::ostream&) {};
  EXPECT_THROW(write_file(path("no/file"), nothing), InputError);
  EXPECT_THROW(write_file(folder_, nothing), InputError);
}

}  // namespace
}  // namespace railyard::core
