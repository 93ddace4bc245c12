#include "core/config/config_node.hpp"

#include "core/config/text_file.hpp"

namespace railyard::core {
namespace {

template <class T>
std::optional<T> held(const JsonValue& value) {
  const T* found = std::get_if<T>(&value.data);
  return found == nullptr ? std::nullopt : std::optional<T>(*found);
}

}  // namespace

ConfigNode::ConfigNode(std::shared_ptr<const Document> document, const JsonValue* value,
                       std::string pointer)
    : document_(std::move(document)), value_(value), pointer_(std::move(pointer)) {}

ConfigNode ConfigNode::read(const std::filesystem::path& path) {
  return parse(read_text_file(path), path.string());
}

ConfigNode ConfigNode::parse(std::string_view text, std::string file) {
  JsonValue root = parse_json(text, file);
  auto document = std::make_shared<const Document>(Document{std::move(file), std::move(root)});
  const JsonValue* value = &document->root;
  return ConfigNode(std::move(document), value, "");
}

const std::string& ConfigNode::file() const { return document_->file; }

bool ConfigNode::is_object() const {
  return std::holds_alternative<JsonValue::Object>(value_->data);
}

bool ConfigNode::is_list() const { return std::holds_alternative<JsonValue::List>(value_->data); }

std::optional<bool> ConfigNode::boolean() const { return held<bool>(*value_); }

std::optional<std::int64_t> ConfigNode::integer() const { return held<std::int64_t>(*value_); }

std::optional<double> ConfigNode::number() const {
  if (const auto whole = integer()) return static_cast<double>(*whole);
  return held<double>(*value_);
}

std::optional<std::string_view> ConfigNode::text() const {
  const auto* found = std::get_if<std::string>(&value_->data);
  return found == nullptr ? std::nullopt : std::optional<std::string_view>(*found);
}

std::vector<std::pair<std::string_view, ConfigNode>> ConfigNode::members() const {
  std::vector<std::pair<std::string_view, ConfigNode>> found;
  if (const auto* object = std::get_if<JsonValue::Object>(&value_->data)) {
    for (const auto& [key, value] : *object)
      found.emplace_back(key, ConfigNode(document_, &value, pointer_to(pointer_, key)));
  }
  return found;
}

std::optional<ConfigNode> ConfigNode::find(std::string_view key) const {
  const JsonValue* found = value_->find(key);
  if (found == nullptr) return std::nullopt;
  return ConfigNode(document_, found, pointer_to(pointer_, key));
}

std::vector<ConfigNode> ConfigNode::elements() const {
  std::vector<ConfigNode> nodes;
  if (const auto* list = std::get_if<JsonValue::List>(&value_->data)) {
    nodes.reserve(list->size());
    for (std::size_t i = 0; i < list->size(); ++i)
      nodes.push_back(ConfigNode(document_, &(*list)[i], pointer_to(pointer_, i)));
  }
  return nodes;
}

}  // namespace railyard::core
