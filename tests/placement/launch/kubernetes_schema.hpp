#pragma once

#include <map>
#include <string>
#include <vector>

namespace YAML {  // NOLINT(readability-identifier-naming): the name of the library
class Node;
}

namespace railyard::placement::testing {

/// The fields of the objects in kubernetes_schema.txt, which describes its own form.
class KubernetesSchema {
 public:
  KubernetesSchema();

  /// What is wrong with the objects of a file: unknown kinds and fields, missing fields, values of
  /// another type, and names that must be equal and are not (mounts and volumes, selectors and
  /// labels). Empty where nothing is.
  [[nodiscard]] std::vector<std::string> problems(const std::vector<YAML::Node>& objects) const;
  /// The same for the text of a file.
  [[nodiscard]] std::vector<std::string> problems(const std::string& text) const;

 private:
  struct Field {
    std::string type;
    bool required = false;
  };
  using Fields = std::map<std::string, Field>;

  void check(const YAML::Node& value, const std::string& at, const Fields& fields,
             const std::string& path, std::vector<std::string>& found) const;
  void check_map(const YAML::Node& value, const std::string& at, const Fields& fields,
                 const std::string& path, std::vector<std::string>& found) const;
  void check_type(const YAML::Node& value, const std::string& at, const std::string& type,
                  std::vector<std::string>& found) const;

  std::map<std::string, Fields> objects_{};
};

}  // namespace railyard::placement::testing
