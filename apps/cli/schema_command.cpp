
#include <array>
#include <memory>
#include <ostream>
#include <string>

#include "apps/cli/commands.hpp"
#include "apps/regress/suite_fields.hpp"
#include "collectives/nccl/timing/fit/system_map_fields.hpp"
#include "collectives/nccl/timing/range/prediction_ranges_fields.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/capacity/goodput/failure_model_fields.hpp"
#include "placement/capacity/price_list_fields.hpp"
#include "placement/jobs/occupancy_fields.hpp"
#include "placement/jobs/queue_fields.hpp"
#include "placement/measured/training_map_fields.hpp"
#include "placement/model/job_fields.hpp"
#include "placement/model/model_fields.hpp"
#include "placement/serving/measured/serving_map.hpp"
#include "placement/strategy/strategy_fields.hpp"
#include "sim/packet/parameter_fields.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/cluster/launch_mode_fields.hpp"
#include "topology/fabric/switch_model_fields.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::apps {
namespace {

/// A kind of config file.
struct SchemaKind {
  std::string_view name;
  std::string (*schema)();
  std::string (*docs)();
};

template <class T>
constexpr SchemaKind kind(std::string_view name) {
  return {name, [] { return core::json_schema<T>(); }, [] { return core::docs_table<T>(); }};
}

constexpr std::array kKinds{kind<topology::ClusterFile>("cluster"),
                            kind<topology::NodeFile>("node"),
                            kind<topology::GpuFile>("gpu"),
                            kind<topology::GpuTimingFile>("generation"),
                            kind<topology::FabricTimingFile>("fabric"),
                            kind<topology::LaunchMode>("launch_mode"),
                            kind<topology::SwitchModel>("switch"),
                            kind<sim::packet::Parameters>("packet"),
                            kind<Suite>("suite"),
                            kind<collectives::nccl::SystemMap>("validation"),
                            kind<collectives::nccl::PredictionRanges>("ranges"),
                            kind<placement::TrainingMap>("training"),
                            kind<placement::serving::ServingMap>("serving"),
                            kind<placement::Model>("model"),
                            kind<placement::Job>("job"),
                            kind<placement::Strategy>("strategy"),
                            kind<placement::Occupancy>("occupancy"),
                            kind<placement::Queue>("queue"),
                            kind<placement::FailureModel>("failures"),
                            kind<placement::PriceList>("prices")};

struct SchemaFlags {
  std::string kind;
  bool docs = false;
};

int run_schema(const SchemaFlags& flags, Context& context) {
  std::vector<std::string_view> names;
  for (const SchemaKind& known : kKinds) {
    names.push_back(known.name);
    if (flags.kind.empty()) context.out << known.name << '\n';
    if (flags.kind != known.name) continue;
    const std::string text = flags.docs ? known.docs() : known.schema();
    context.out << text << (text.ends_with('\n') ? "" : "\n");
    return ExitCode::done;
  }
  if (flags.kind.empty()) return ExitCode::done;
  throw InputError("", "KIND", core::unknown_name(flags.kind, names));
}

}  // namespace

RunCommand add_schema(FlagSet app) {
  const auto flags = std::make_shared<SchemaFlags>();
  app.add_option(
         "kind", flags->kind,
         "Kind of config file: cluster, node, gpu, generation, fabric, launch_mode, "
         "switch, packet, suite, validation, ranges, training, model, job, strategy, occupancy, "
         "queue, failures or prices [list the kinds]")
      .type_name("KIND");
  app.add_flag("--docs", flags->docs,
               "Print tables of the keys as Markdown instead of a JSON Schema");
  app.footer(
      "Prints the JSON Schema of a kind of config file. Editors complete and check a config whose\n"
      "\"$schema\" is such a file (configs/schema).\n"
      "\n"
      "Examples:\n"
      "  railyard schema cluster > cluster.schema.json\n"
      "  railyard schema node --docs");
  return [flags](Context& context) { return run_schema(*flags, context); };
}

}  // namespace railyard::apps
