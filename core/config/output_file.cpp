#include "core/config/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <ostream>
#include <streambuf>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

namespace fs = std::filesystem;

/// Writes to a descriptor and keeps the reason of the first failure (std::ofstream does not).
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), buffer_(1 << 16) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  /// errno of the first write that failed, or 0.
  [[nodiscard]] int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    for (const char* at = pbase(); at < pptr() && error_ == 0;) {
      const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
      if (written >= 0)
        at += written;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int descriptor_;
  std::vector<char> buffer_;
  int error_ = 0;
};

InputError cannot_write(const fs::path& path, int error) {
  return InputError(path.string(), "", fmt::format("cannot be written: {}", std::strerror(error)));
}

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { (void)close_now(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return number_; }
  /// errno of close(), or 0: file systems over a network report a full disk here.
  int close_now() {
    const int number = std::exchange(number_, -1);
    return number >= 0 && ::close(number) != 0 ? errno : 0;
  }

 private:
  int number_;
};

/// Fills an open file; errno of what failed, or 0.
int fill(Descriptor& file, const std::function<void(std::ostream&)>& write, bool to_disk) {
  DescriptorBuffer buffer(file.get());
  std::ostream out(&buffer);
  write(out);
  out.flush();
  if (buffer.error() != 0) return buffer.error();
  // Before the rename: a crash of the machine must not leave an empty file with the new name.
  if (to_disk && ::fsync(file.get()) != 0 && errno != EINVAL) return errno;
  return file.close_now();
}

/// Removes the file beside the target unless it took the target's name.
class Beside {
 public:
  explicit Beside(std::string name) : name_(std::move(name)) {}
  ~Beside() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  /// errno of rename(), or 0.
  int take_name(const fs::path& target) {
    if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
};

void write_in_place(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) throw cannot_write(path, errno);
  if (const int error = fill(file, write, false); error != 0) throw cannot_write(path, error);
}

/// Permissions of a file that is created: those of the process's mask.
mode_t permissions_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// A link to a file stays a link: the file that it leads to is replaced.
fs::path target_of(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_symlink(path, failure)) return path;
  fs::path target = fs::weakly_canonical(path, failure);
  if (failure) throw cannot_write(path, failure.value());
  return target;
}

}  // namespace

void write_file(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path target = target_of(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    throw InputError(path.string(), "", "is a folder, not a file");
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(path, write);
  if (exists && ::access(target.c_str(), W_OK) != 0) throw cannot_write(path, errno);

  std::string name = target.string() + ".XXXXXX";
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) throw cannot_write(path, errno);
  Beside beside(name);
  (void)::fchmod(file.get(), exists ? old.st_mode & 07777 : permissions_of_new_files());
  int error = fill(file, write, true);
  if (error == 0) error = beside.take_name(target);
  if (error != 0) throw cannot_write(path, error);
}

}  // namespace railyard::core
