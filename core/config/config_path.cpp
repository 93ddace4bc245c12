#include "core/config/config_path.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cstdlib>
#include <set>

#include "core/config/config_node.hpp"

namespace railyard::core {
namespace {

namespace fs = std::filesystem;

bool is_readable(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  return fs::exists(status) && !fs::is_directory(status);
}

bool is_device(const fs::path& path) {
  std::error_code failure;
  return fs::is_character_file(path, failure) || fs::is_block_file(path, failure);
}

std::vector<fs::path> folders_of_environment() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("RAILYARD_CONFIGS");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) folders.emplace_back(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return folders;
}

/// Words of small letters and digits with one '_' around each: "_nvidia_qm9700_quantum_2_".
std::string words_of(std::string_view text) {
  std::string words = "_";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      words += static_cast<char>(std::tolower(byte));
    else if (words.back() != '_')
      words += '_';
  }
  if (words.back() != '_') words += '_';
  return words;
}

/// The "name" inside a config; "" where it has none or cannot be read.
std::string product_name(std::string_view name, std::string_view kind) {
  try {
    const auto text = ConfigNode::read(resolve_config(name, kind)).find("name");
    return std::string(text ? text->text().value_or("") : "");
  } catch (const InputError&) {
    return {};  // an error of that file belongs to who uses it
  }
}

/// The hint "did you mean 'quantum2', NVIDIA QM9700 (Quantum-2)?": the configs whose product name
/// contains the words of the reference, ignoring case. "" if there are none or more than
/// kMostNames.
std::string near_product(std::string_view reference, std::string_view kind,
                         const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 3, kLeastLetters = 3;
  const std::string wanted = words_of(reference);
  if (wanted.size() < kLeastLetters + 2) return {};
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (const std::string product = product_name(name, kind);
        words_of(product).find(wanted) != std::string::npos)
      found.push_back(fmt::format("'{}', {}", name, product));
  if (found.empty() || found.size() > kMostNames) return {};
  return fmt::format("did you mean {}?", fmt::join(found, ", or "));
}

InputError not_found(std::string_view reference, std::string_view kind, const fs::path& referring,
                     std::string_view pointer) {
  const std::vector<std::string> names = config_names(kind);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string stem = fs::path(reference).stem().string();
  std::string hint = near_product(stem, kind, names);
  if (hint.empty()) hint = did_you_mean(stem, candidates);
  const bool is_file = reference.find('/') != reference.npos || reference.ends_with(".json");
  std::error_code failure;
  if (hint.empty() && is_file)
    hint = fs::is_directory(reference, failure) ? "this is a folder" : "this file does not exist";
  if (hint.empty() && !names.empty()) hint = fmt::format("there are {}", fmt::join(names, ", "));
  if (!hint.empty()) hint += "; ";
  std::vector<std::string> places;
  if (!referring.empty()) places.push_back((referring.parent_path() / ".").string());
  places.push_back(".");
  for (const fs::path& folder : config_folders()) places.push_back((folder / kind).string());
  hint += fmt::format("looked in {}", fmt::join(places, ", "));
  // A command line has no pointers into a file, but flags.
  const bool is_place = !referring.empty() || !pointer.starts_with('/');
  return InputError(referring.string(), is_place ? std::string(pointer) : "",
                    fmt::format("there is no '{}' in configs/{}", reference, kind), hint);
}

}  // namespace

std::vector<fs::path> config_folders() {
  std::vector<fs::path> folders = folders_of_environment();
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (!failure)
    folders.push_back(executable.parent_path().parent_path() / "share/railyard/configs");
  folders.emplace_back(RAILYARD_SOURCE_CONFIGS);
  folders.emplace_back(RAILYARD_INSTALLED_CONFIGS);
  std::erase_if(folders,
                [&](const fs::path& folder) { return !fs::is_directory(folder, failure); });
  return folders;
}

std::vector<std::string> config_names(std::string_view kind) {
  std::set<std::string> names;
  for (const fs::path& folder : config_folders()) {
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / kind, failure)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

fs::path resolve_config(std::string_view reference, std::string_view kind,
                        const fs::path& referring, std::string_view pointer) {
  if (!referring.empty()) {
    // Nearest first: a config that names another means the same from every working directory.
    fs::path beside = referring.parent_path() / reference;
    if (is_readable(beside) && !is_device(beside)) return beside.lexically_normal();
  }
  // A command line may name a pipe or a device (/dev/stdin), a file may not.
  if (is_readable(reference) && (referring.empty() || !is_device(reference))) return reference;
  for (const fs::path& folder : config_folders()) {
    fs::path file = folder / kind / reference;
    if (is_readable(file)) return file;
    file += ".json";
    if (is_readable(file)) return file;
  }
  throw not_found(reference, kind, referring, pointer);
}

std::optional<Diagnostic> missing_config(std::string_view reference, std::string_view kind) {
  try {
    (void)resolve_config(reference, kind);
    return std::nullopt;
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
}

}  // namespace railyard::core
