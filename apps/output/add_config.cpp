#include "apps/output/add_config.hpp"

#include "core/digest.hpp"

namespace railyard::apps {

void add_config(Provenance& provenance, const std::string& name, const std::filesystem::path& path,
                Bytes limit) {
  provenance.configs.emplace_back(name,
                                  "fnv1a64:" + core::digest(core::read_text_file(path, limit)));
}

}  // namespace railyard::apps
