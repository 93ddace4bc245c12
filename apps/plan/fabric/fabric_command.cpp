#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "apps/cli/job_size_flags.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/result_output.hpp"
#include "apps/plan/fabric/fabric_request.hpp"
#include "apps/plan/fabric/fabric_rows.hpp"
#include "apps/plan/plan_commands.hpp"
#include "core/config/enum_names.hpp"
#include "placement/capacity/fabric/fabric_answer.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kExamples = R"(
Designs each fabric with the fewest switches that connect the GPUs, prices its parts, and simulates a
training step on it: healthy, and with the first spine, leaf and cable between switches failed. It
recommends the fabric with the smallest product of price (GPUs and network) and step time. All links run
at the rate of a NIC's port. Exits with code 1 if no fabric can be built. Prices come from
configs/prices; --json lists the source of each.

Examples:
  railyard plan fabric --gpus 16384 --node dgx_h100 --radix 64
  railyard plan fabric --gpus 2048 --node dgx_h100 --switch quantum2 --compare rail_clos,leaf_spine \
      --oversubscription 1,2,4 --job llama3_70b
  railyard plan fabric --gpus 4096 --node hgx_h200 --switch spectrum4 --job none --price switch/spectrum4=60000)";

void add_facts(const FabricPlanFlags& flags, const placement::FabricPlanRequest& request,
               const placement::FabricPlan& plan, Provenance& provenance) {
  provenance.facts = {{"node", flags.node},
                      {"gpus", fmt::format("{}", plan.gpus)},
                      {"switch", request.model.name},
                      {"transport", std::string(core::enum_name(request.transport))},
                      {"currency", request.prices.currency}};
  if (request.job) provenance.facts.emplace_back("job", flags.job);
  if (plan.strategy) provenance.facts.emplace_back("strategy", placement::to_text(*plan.strategy));
}

int run_fabric(const FabricPlanFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = context.command, .seed = flags.seed};
  const placement::FabricPlanRequest request = fabric_plan_request(flags, provenance);
  placement::FabricPlan plan;
  {
    Progress progress(context, request.kinds.size() * request.oversubscriptions.size());
    plan = placement::plan_fabric(request, [&](const std::string& what) { progress.next(what); });
  }
  add_facts(flags, request, plan, provenance);
  provenance.notes = plan.notes;
  std::vector<std::string> answers = placement::answer_of(plan, request);
  if (plan.strategy)
    answers.push_back(
        fmt::format("Strategy on all fabrics: {}.", placement::to_text(*plan.strategy)));
  for (const std::string& note : plan.notes) print_note(context, note);
  write_result({.kind = "plan_fabric",
                .provenance = provenance,
                .answers = std::move(answers),
                .rows = tabulate_fabrics(plan),
                .sections = {{"bill", tabulate_best_bill(plan)},
                             {"bills", tabulate_bills(plan), false},
                             {"assumptions", tabulate_assumptions(request)}},
                .summary = tabulate_fabrics_in_short(plan)},
               flags.output, context);
  return plan.best ? ExitCode::done : ExitCode::finding;
}

void add_fabric_choice(FlagSet app, FabricPlanFlags& flags) {
  app = app.under("Fabrics");
  app.add_option("--gpus", flags.gpus, "Number of GPUs to connect")
      .type_name("N")
      .required()
      .check(in_range(1, 1 << 20));
  app.add_option("--node", flags.node, "Node: a name in configs/nodes, or a file")
      .type_name("NAME")
      .required();
  app.add_option("--compare", flags.compare,
                 "Fabrics to compare: leaf_spine, clos3, fat_tree, rail_clos, rail_only, "
                 "dual_plane [all but fat_tree]")
      .type_name("LIST");
  const Flag radix = app.add_option("--radix", flags.radix,
                                    "Number of ports per switch, at the rate of the NIC. A "
                                    "dual-plane fabric uses twice as many ports at half the rate");
  radix.type_name("N").check(in_range(4, 4096));
  app.add_option("--switch", flags.switch_model,
                 "Switch for all tiers: a name in configs/switches, or a file")
      .type_name("NAME")
      .excludes(radix);
  app.add_option("--oversubscription", flags.oversubscriptions,
                 "Oversubscription ratios to compare, such as 1,2,4; they apply to the links to "
                 "the top tier [1]")
      .type_name("LIST")
      .delimiter(',')
      .one_argument();
  app.add_option("--transport", flags.transport,
                 "Transport: infiniband, roce or tcp [the switch's; with --radix infiniband]")
      .type_name("NAME");
  app.add_option("--routing", flags.routing,
                 "Routing policy: rail, ecmp, balanced, adaptive or spray [ecmp for roce, else "
                 "rail]")
      .type_name("POLICY");
  app.add_option("--seed", flags.seed, "Random seed for ECMP hashing [1]").type_name("N");
}

void add_job(FlagSet app, FabricPlanFlags& flags) {
  app = app.under("Job");
  app.add_option("--job", flags.job,
                 "Training job to simulate on each fabric: a name in configs/jobs, a file, or none "
                 "[llama3_405b]")
      .type_name("NAME");
  (void)add_batch_flag(app, flags.batch);
  app.add_option("--fix", flags.fix,
                 "Strategy of the job, for example tp=8,pp=8,zero=1 [the best by formula]")
      .type_name("K=V,..");
  app.add_option("--all-reduce", flags.all_reduce,
                 "Size of the all_reduce over all GPUs that is also simulated [1G]")
      .type_name("SIZE");
  app.add_option("--fidelity", flags.fidelity, "Engine of the simulation: flow or analytic [flow]")
      .type_name("NAME");
}

void add_prices(FlagSet app, FabricPlanFlags& flags) {
  app = app.under("Prices and cables");
  app.add_option("--prices", flags.price_lists,
                 "Price list whose items replace those of configs/prices/network.json (repeatable)")
      .type_name("FILE")
      .take_all();
  app.add_option(
         "--price", flags.prices,
         "Set the price of an item: switch/quantum2=20000 or 'switch/quantum2=$20K' (repeatable)")
      .type_name("ITEM=PRICE")
      .take_all();
  app.add_option("--nodes-per-rack", flags.nodes_per_rack, "Nodes in a rack, for cable lengths [4]")
      .type_name("N")
      .check(in_range(1, 1000));
  app.add_option("--rack-area", flags.rack_area,
                 "Floor area of a rack with its share of the aisles, in square metres; for cable "
                 "lengths [2.5]")
      .type_name("M2")
      .check(positive_number());
}

}  // namespace

RunCommand add_plan_fabric(FlagSet app) {
  const auto flags = std::make_shared<FabricPlanFlags>();
  add_fabric_choice(app, *flags);
  add_job(app, *flags);
  add_prices(app, *flags);
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_fabric(*flags, context); };
}

}  // namespace railyard::apps
