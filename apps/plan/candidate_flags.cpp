#include "apps/plan/candidate_flags.hpp"

namespace railyard::apps {

void add_candidates_flag(FlagSet app, std::vector<std::string>& candidates) {
  app.add_option("--candidates,--cluster", candidates,
                 "Clusters to compare: names in configs/clusters, or files")
      .delimiter(',')
      .type_name("NAME,..")
      .required();
}

Flag add_rent_flag(FlagSet app, std::vector<std::string>& price) {
  return app
      .add_option("--price", price,
                  "Rent per GPU-hour with its currency, for all candidates or for one: '$2.5', "
                  "'dgx_h100_ndr400=$2.2' [as in the GPU's config]")
      .delimiter(',')
      .type_name("[NAME=]MONEY,..");
}

}  // namespace railyard::apps
