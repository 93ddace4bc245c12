#include "core/sweep/input_digest.hpp"

#include <algorithm>
#include <array>

#include "core/config/config_path.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "core/digest.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;

/// Kinds of configs that commands read only if referred to.
constexpr std::array<std::string_view, 5> kByName{"clusters", "nodes", "models", "jobs", "suites"};
/// Kinds that no run reads.
constexpr std::array<std::string_view, 3> kNeverRead{"schema", "examples", "validation"};

template <std::size_t N>
bool is_one_of(std::string_view kind, const std::array<std::string_view, N>& kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
    entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

void add_texts(const JsonValue& value, std::vector<std::string>& texts) {
  if (const auto* text = std::get_if<std::string>(&value.data)) texts.push_back(*text);
  if (const auto* list = std::get_if<JsonValue::List>(&value.data))
    for (const JsonValue& one : *list) add_texts(one, texts);
  if (const auto* object = std::get_if<JsonValue::Object>(&value.data))
    for (const auto& [key, one] : *object) add_texts(one, texts);
}

/// The text itself, and its parts between '=', ',', ';' and ':'.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts{text};
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("=,;:", at), text.size());
    if (end > at && end - at < text.size()) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

}  // namespace

InputDigests::InputDigests(std::string version) : version_(std::move(version)) {
  std::string all;
  for (const fs::path& folder : config_folders()) {
    for (const fs::path& kind : sorted_entries(folder)) {
      const std::string name = kind.filename().string();
      if (is_one_of(name, kNeverRead)) continue;
      for (const fs::path& file : sorted_entries(kind)) {
        if (!is_file(file)) continue;
        names_[file.stem().string()].push_back(file);
        if (!is_one_of(name, kByName))
          all += name + '/' + file.filename().string() + ' ' + core::digest(read_text_file(file)) +
                 '\n';
      }
    }
  }
  shipped_ = core::digest(all);
}

const InputDigests::File& InputDigests::read(const fs::path& path) {
  const auto [found, is_new] = files_.try_emplace(path);
  File& file = found->second;
  if (!is_new) return file;
  const std::string text = read_text_file(path);
  file.digest = core::digest(text);
  if (path.extension() != ".json") return file;
  std::vector<std::string> texts;
  try {
    add_texts(parse_json(text, path.string()), texts);
  } catch (const InputError&) {
    return file;  // the command that reads it reports what is wrong
  }
  for (const std::string& one : texts) add(one, path.parent_path(), file.named);
  return file;
}

void InputDigests::add(std::string_view text, const fs::path& folder, Files& found) {
  constexpr std::size_t kLongestPath = 4096;
  for (const std::string_view part : parts_of(text)) {
    if (part.size() > kLongestPath || part.find('\0') != std::string_view::npos) continue;
    if (const fs::path beside = folder / part; is_file(beside)) found.insert(beside);
    if (is_file(part)) found.insert(fs::path(part));
    if (const auto known = names_.find(part); known != names_.end())
      found.insert(known->second.begin(), known->second.end());
  }
}

std::string InputDigests::digest(const std::vector<std::string>& words) {
  const std::lock_guard lock(mutex_);
  std::string all = version_ + '\n' + shipped_ + '\n';
  for (const std::string& word : words) {
    auto known = words_.find(word);
    if (known == words_.end()) {
      Files open, closed;
      add(word, {}, open);
      while (!open.empty()) {
        const fs::path next = *open.begin();
        open.erase(open.begin());
        if (!closed.insert(next).second) continue;
        for (const fs::path& named : read(next).named)
          if (!closed.contains(named)) open.insert(named);
      }
      // Independent of the folders of a host: contents in the order of file names.
      std::vector<std::string> lines;
      for (const fs::path& file : closed)
        lines.push_back(file.filename().string() + ' ' + files_.at(file).digest + '\n');
      std::ranges::sort(lines);
      std::string text;
      for (const std::string& line : lines) text += line;
      known = words_.emplace(word, core::digest(text)).first;
    }
    all += word + ' ' + known->second + '\n';
  }
  return core::digest(all);
}

}  // namespace railyard::core::sweep
