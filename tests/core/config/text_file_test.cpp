#include "core/config/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

namespace fs = std::filesystem;

std::string error_of(const fs::path& path, Bytes limit = kMaxTextFile) {
  try {
    (void)read_text_file(path, limit);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TextFile, IsReadWhole) {
  const fs::path path = fs::path(::testing::TempDir()) / "text_file_whole";
  const std::string text(200'000, 'x');  // more than one piece
  std::ofstream(path) << text << '\n';
  EXPECT_EQ(read_text_file(path), text + '\n');
  fs::remove(path);
}

TEST(TextFile, AGibibyteIsRefusedWithoutReadingIt) {
  const fs::path path = fs::path(::testing::TempDir()) / "text_file_large";
  std::ofstream(path).close();
  fs::resize_file(path, std::uintmax_t{1} << 30);  // sparse
  EXPECT_EQ(error_of(path), path.string() +
                                ": is larger than 64 MiB, the limit for text files "
                                "(is this the right file?)");
  fs::remove(path);
}

TEST(TextFile, ADeviceWithoutEndIsCutOffAtTheLimit) {
  EXPECT_THAT(error_of("/dev/zero", Bytes(1 << 20)), ::testing::HasSubstr("larger than 1 MiB"));
}

TEST(TextFile, MissingFilesAndFoldersAreNamed) {
  EXPECT_EQ(error_of("/nowhere/x.json"), "/nowhere/x.json: does not exist");
  EXPECT_EQ(error_of("/"), "/: is a folder, not a file");
}

}  // namespace
}  // namespace railyard::core
