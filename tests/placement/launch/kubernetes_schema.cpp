#include "tests/placement/launch/kubernetes_schema.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <yaml-cpp/yaml.h>

namespace railyard::placement::testing {
namespace {

using Found = std::vector<std::string>;

/// What a plain scalar is to YAML 1.1, which Kubernetes' tools read: "text" or another type.
std::string scalar_type(const YAML::Node& value) {
  if (value.Tag() == "!") return "text";  // quoted, or a block
  static const std::regex whole(R"([-+]?[0-9]+)"), number(R"([-+]?(\.?[0-9].*|\.inf|\.nan))"),
      truth(R"(true|false|yes|no|on|off)", std::regex::icase),
      nothing(R"(~|null|)", std::regex::icase);
  const std::string& text = value.Scalar();
  if (std::regex_match(text, whole)) return "int";
  if (std::regex_match(text, truth)) return "bool";
  if (std::regex_match(text, nothing)) return "null";
  double parsed = 0;
  if (std::regex_match(text, number) && YAML::convert<double>::decode(value, parsed))
    return "number";
  return "text";
}

bool is_name(const std::string& text) {
  static const std::regex label("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  return std::regex_match(text, label);
}

bool is_amount(const YAML::Node& value) {
  static const std::regex quantity(R"([0-9]+(\.[0-9]+)?(m|k|[KMGTPE]i?)?)");
  return value.IsScalar() && std::regex_match(value.Scalar(), quantity);
}

template <class Keys>
void check_texts(const YAML::Node& value, const std::string& at, Keys is_value, Found& found) {
  for (const auto& entry : value)
    if (!is_value(entry.second))
      found.push_back(at + '.' + entry.first.Scalar() + " has a value of another type");
}

/// A pod: what is mounted is a volume.
void check_pod(const YAML::Node& pod, const std::string& at, Found& found) {
  std::set<std::string> volumes;
  for (const YAML::Node& volume : pod["volumes"]) volumes.insert(volume["name"].Scalar());
  for (const YAML::Node& container : pod["containers"])
    for (const YAML::Node& mount : container["volumeMounts"])
      if (!volumes.contains(mount["name"].Scalar()))
        found.push_back(at + ": mounts the volume '" + mount["name"].Scalar() + "', which is none");
}

/// Whether each label of the selector is on the pods.
bool selects(const YAML::Node& selector, const YAML::Node& labels) {
  for (const auto& entry : selector) {
    const YAML::Node label = labels[entry.first.Scalar()];
    if (!label || label.Scalar() != entry.second.Scalar()) return false;
  }
  return selector.size() > 0;
}

void check_names(const std::vector<YAML::Node>& objects, Found& found) {
  for (const YAML::Node& object : objects) {
    const std::string kind = object["kind"].Scalar();
    const YAML::Node spec = object["spec"];
    if (spec["template"]) check_pod(spec["template"]["spec"], kind, found);
    for (const YAML::Node& task : spec["tasks"]) check_pod(task["template"]["spec"], kind, found);
    if (kind == "Deployment" &&
        !selects(spec["selector"]["matchLabels"], spec["template"]["metadata"]["labels"]))
      found.push_back("Deployment: its selector does not select its pods");
    if (kind != "Service") continue;
    bool some = false;
    for (const YAML::Node& other : objects)
      some = some || (other["kind"].Scalar() == "Deployment" &&
                      selects(spec["selector"], other["spec"]["template"]["metadata"]["labels"]));
    if (!some) found.push_back("Service: its selector selects no Deployment");
  }
}

}  // namespace

KubernetesSchema::KubernetesSchema() {
  std::ifstream file(RAILYARD_SOURCE_DIR "/tests/placement/launch/kubernetes_schema.txt");
  Fields* fields = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[') {
      fields = &objects_[line.substr(1, line.size() - 2)];
      continue;
    }
    std::istringstream words(line);
    std::string path, type, required;
    words >> path >> type >> required;
    (*fields)[path] = {type, required == "required"};
  }
}

void KubernetesSchema::check_type(const YAML::Node& value, const std::string& at,
                                  const std::string& type, Found& found) const {
  const auto wrong = [&](const std::string& what) { found.push_back(at + " is not " + what); };
  if (type == "texts" || type == "amounts") {
    if (!value.IsMap()) return wrong(type);
    const auto is_text = [](const YAML::Node& one) {
      return one.IsScalar() && scalar_type(one) == "text";
    };
    return type == "texts" ? check_texts(value, at, is_text, found)
                           : check_texts(value, at, is_amount, found);
  }
  if (!value.IsScalar()) return wrong(type);
  if (type == "int" || type == "bool" || type == "text") {
    if (scalar_type(value) != type) wrong(type);
  } else if (type == "name") {
    if (scalar_type(value) != "text" || !is_name(value.Scalar())) wrong("a name of RFC 1123");
  } else if (("|" + type + "|").find("|" + value.Scalar() + "|") == std::string::npos) {
    wrong("one of " + type);
  }
}

void KubernetesSchema::check_map(const YAML::Node& value, const std::string& at,
                                 const Fields& fields, const std::string& path,
                                 Found& found) const {
  const std::string prefix = path.empty() ? "" : path + '.';
  for (const auto& entry : value) {
    const std::string name = entry.first.Scalar();
    const bool any = !fields.contains(prefix + name) && fields.contains(prefix + '*');
    check(entry.second, at + '.' + name, fields, prefix + (any ? "*" : name), found);
  }
  for (const auto& [field, description] : fields) {
    if (!description.required || !field.starts_with(prefix)) continue;
    const std::string name = field.substr(prefix.size());
    if (name.find_first_of(".[") == std::string::npos && !value[name])
      found.push_back(at + '.' + name + " is missing");
  }
}

void KubernetesSchema::check(const YAML::Node& value, const std::string& at, const Fields& fields,
                             const std::string& path, Found& found) const {
  const auto field = fields.find(path);
  if (field == fields.end()) return found.push_back(at + " is not a field");
  const std::string& type = field->second.type;
  if (type.starts_with('@')) {
    if (!value.IsMap()) return found.push_back(at + " is not a map");
    return check_map(value, at, objects_.at(type), "", found);
  }
  if (type == "map")
    return value.IsMap() ? check_map(value, at, fields, path, found)
                         : found.push_back(at + " is not a map");
  if (type != "list") return check_type(value, at, type, found);
  if (!value.IsSequence() || value.size() == 0)
    return found.push_back(at + " is not a list with elements");
  for (std::size_t i = 0; i < value.size(); ++i)
    check(value[i], at + '[' + std::to_string(i) + ']', fields, path + "[]", found);
}

Found KubernetesSchema::problems(const std::vector<YAML::Node>& objects) const {
  Found found;
  for (const YAML::Node& object : objects) {
    if (!object.IsMap() || !object["apiVersion"] || !object["kind"]) {
      found.emplace_back("an object has no apiVersion or kind");
      continue;
    }
    const std::string kind = object["apiVersion"].Scalar() + ' ' + object["kind"].Scalar();
    const auto fields = objects_.find(kind);
    if (fields == objects_.end())
      found.push_back("'" + kind + "' is not an object of the schema");
    else
      check_map(object, object["kind"].Scalar(), fields->second, "", found);
  }
  if (objects.empty()) found.emplace_back("there is no object");
  if (found.empty()) check_names(objects, found);
  return found;
}

Found KubernetesSchema::problems(const std::string& text) const {
  try {
    return problems(YAML::LoadAll(text));
  } catch (const YAML::Exception& error) {
    return {error.what()};
  }
}

}  // namespace railyard::placement::testing
