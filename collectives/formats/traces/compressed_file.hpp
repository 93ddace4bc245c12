#pragma once

#include <array>
#include <cstdint>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace railyard::collectives {

/// The bytes of a file; gzip files are decompressed. Throws InputError if the file cannot be read,
/// its compressed data is damaged or truncated, or its content exceeds 16 GiB or half of the
/// available memory.
class CompressedFile : public std::streambuf {
 public:
  explicit CompressedFile(const std::string& file);
  ~CompressedFile() override;
  CompressedFile(const CompressedFile&) = delete;
  CompressedFile& operator=(const CompressedFile&) = delete;

 protected:
  int_type underflow() override;

 private:
  std::string file_;
  gzFile_s* stream_;
  std::uint64_t most_;
  std::uint64_t read_ = 0;
  std::array<char, 1 << 16> buffer_{};
};

/// All bytes of a file; gzip files are decompressed. Throws InputError beyond `most` bytes.
[[nodiscard]] std::string read_compressed(const std::string& file, std::uint64_t most);

}  // namespace railyard::collectives
