#pragma once

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// The functions for Command::add: each registers the flags of one subcommand
/// (apps/<name>/<name>_command.cpp).
RunCommand add_topo(FlagSet app);
RunCommand add_sim(FlagSet app);
RunCommand add_explain(FlagSet app);
RunCommand add_bench(FlagSet app);
RunCommand add_probe(FlagSet app);
RunCommand add_gpu(FlagSet app);
RunCommand add_validate(FlagSet app);
RunCommand add_calibrate(FlagSet app);
RunCommand add_diagnose(FlagSet app);
RunCommand add_replay(FlagSet app);
RunCommand add_regress(FlagSet app);
RunCommand add_report(FlagSet app);
RunCommand add_place(FlagSet app);
RunCommand add_plan(FlagSet app);
RunCommand add_sweep(FlagSet app);
RunCommand add_schema(FlagSet app);
RunCommand add_completion(FlagSet app);

}  // namespace railyard::apps
