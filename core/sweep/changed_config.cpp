#include "core/sweep/changed_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>

#include "core/config/config_path.hpp"
#include "core/config/json_value.hpp"
#include "core/config/output_file.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "core/digest.hpp"

namespace railyard::core::sweep {
namespace {

namespace fs = std::filesystem;

/// Flags and keys that refer to a config, and its kind.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kReferences{{
    {"cluster", "clusters"},
    {"candidates", "clusters"},
    {"node", "nodes"},
    {"gpu", "gpus"},
    {"model", "models"},
    {"job", "jobs"},
    {"prices", "prices"},
    {"failures", "failures"},
    {"switch", "switches"},
    {"switch_model", "switches"},
    {"spine_switch_model", "switches"},
    {"core_switch_model", "switches"},
    {"timing_of", "generations"},
    {"fabric_timing_of", "fabrics"},
    {"packet-config", "packet"},
    {"harness", "launch_modes"},
}};

/// A key of a pointer, with ~1 and ~0 read as '/' and '~' (RFC 6901).
std::string key_of(std::string_view text) {
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escapes = text[i] == '~' && i + 1 < text.size();
    key += escapes ? (text[++i] == '1' ? '/' : '~') : text[i];
  }
  return key;
}

JsonValue value_of(const std::string& text) {
  try {
    return parse_json(text, "value");
  } catch (const InputError&) {
    return JsonValue::text(text);
  }
}

JsonValue* member(JsonValue::Object& object, std::string_view key) {
  for (auto& [known, value] : object)
    if (known == key) return &value;
  return nullptr;
}

/// Makes paths relative to the folder of the original absolute.
void make_absolute(JsonValue& value, const fs::path& folder) {
  if (auto* text = std::get_if<std::string>(&value.data)) {
    std::error_code failure;
    if (!text->empty() && fs::is_regular_file(folder / *text, failure))
      *text = fs::absolute(folder / *text).lexically_normal().string();
  }
  if (auto* list = std::get_if<JsonValue::List>(&value.data))
    for (JsonValue& one : *list) make_absolute(one, folder);
  if (auto* object = std::get_if<JsonValue::Object>(&value.data))
    for (auto& [key, one] : *object) make_absolute(one, folder);
}

/// The target of a pointer: a value in this file, or a reference to another config with the rest of
/// the pointer.
struct Place {
  JsonValue* value = nullptr;
  std::string at;         ///< pointer of the value
  std::string_view key;   ///< last key
  std::string_view rest;  ///< what follows behind a name, "" else
};

/// The target of a pointer in `root`; creates missing objects. Throws InputError.
Place find_place(JsonValue& root, std::string_view pointer, const std::string& file) {
  Place place{.value = &root, .at = "", .key = {}, .rest = pointer};
  while (!place.rest.empty()) {
    const auto* name = std::get_if<std::string>(&place.value->data);
    if (name != nullptr && !kind_of_reference(place.key).empty()) return place;
    const std::size_t end = std::min(place.rest.find('/', 1), place.rest.size());
    place.key = place.rest.substr(1, end - 1);
    place.rest = place.rest.substr(end);
    if (auto* list = std::get_if<JsonValue::List>(&place.value->data)) {
      std::size_t index = 0;
      const auto [last, error] =
          std::from_chars(place.key.data(), place.key.data() + place.key.size(), index);
      if (error != std::errc() || last != place.key.data() + place.key.size() ||
          index >= list->size())
        throw InputError(file, place.at, fmt::format("the list has no element '{}'", place.key),
                         fmt::format("it has {}, counted from 0", list->size()));
      place.value = &(*list)[index];
    } else if (auto* object = std::get_if<JsonValue::Object>(&place.value->data)) {
      const std::string key = key_of(place.key);
      if (member(*object, key) == nullptr) object->emplace_back(key, JsonValue::object());
      place.value = member(*object, key);
    } else {
      throw InputError(
          file, place.at,
          fmt::format("is {} and has no field '{}'", kind_name(*place.value), place.key));
    }
    place.at += '/';
    place.at += place.key;
  }
  return place;
}

}  // namespace

std::string_view kind_of_reference(std::string_view name) {
  const auto found =
      std::ranges::find(kReferences, name, [](const auto& entry) { return entry.first; });
  return found == kReferences.end() ? std::string_view() : found->second;
}

ChangedConfigs::ChangedConfigs(Check check) : check_(std::move(check)) {}
ChangedConfigs::~ChangedConfigs() = default;

std::string ChangedConfigs::file(const std::string& reference, std::string_view kind,
                                 const std::vector<FieldChange>& changes) {
  const std::lock_guard lock(mutex_);
  std::string all = fmt::format("{}\n{}\n", reference, kind);
  for (const FieldChange& change : changes)
    all += fmt::format("{}={}\n", change.pointer, change.value);
  if (!folder_) folder_.emplace("railyard-sweep-");
  const auto known = written_.find(all);
  if (known != written_.end()) return known->second;
  return written_[all] = write(resolve_config(reference, kind), reference, kind, changes);
}

std::string ChangedConfigs::write(const fs::path& original, const std::string& shown,
                                  std::string_view kind, const std::vector<FieldChange>& changes) {
  if (original.extension() != ".json")
    throw InputError(shown, changes.front().pointer, "only fields of JSON files can be changed",
                     "write a JSON file that names this one");
  JsonValue root = parse_json(read_text_file(original), shown);
  make_absolute(root, original.parent_path());
  // Changes of referenced configs, by the pointer of the reference.
  std::map<std::string, std::pair<std::string_view, std::vector<FieldChange>>> nested;
  for (const FieldChange& change : changes) {
    const Place place = find_place(root, change.pointer, shown);
    if (place.rest.empty()) {
      *place.value = value_of(change.value);
      continue;
    }
    auto& [other, inner] = nested[place.at];
    other = kind_of_reference(place.key);
    inner.push_back({std::string(place.rest), change.value});
  }
  for (const auto& [pointer, other] : nested) {
    const Place place = find_place(root, pointer, shown);
    auto& name = std::get<std::string>(place.value->data);
    name = write(resolve_config(name, other.first, original, pointer), name, other.first,
                 other.second);
  }
  const std::string text = core::to_text(root) + '\n';
  check_(kind, ConfigNode::parse(text, shown));
  const fs::path folder = folder_->path() / core::digest(text + original.filename().string());
  fs::create_directories(folder);
  const fs::path path = folder / original.filename();
  write_file(path, [&](std::ostream& out) { out << text; });
  return path.string();
}

std::string ChangedConfigs::with_original_names(std::string text) const {
  const std::lock_guard lock(mutex_);
  if (!folder_) return text;
  const std::string prefix = folder_->path().string() + '/';
  constexpr std::size_t kDigest = 17;  // 16 digits and a slash
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.erase(at, std::min(prefix.size() + kDigest, text.size() - at));
  return text;
}

}  // namespace railyard::core::sweep
