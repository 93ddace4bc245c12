#pragma once

#include "apps/cli/command.hpp"

namespace railyard::apps {

/// What each Command::add does: registers the flags of one subcommand (apps/<name>_command.cpp).
RunCommand add_topo(CLI::App& app);
RunCommand add_sim(CLI::App& app);
RunCommand add_explain(CLI::App& app);
RunCommand add_bench(CLI::App& app);
RunCommand add_probe(CLI::App& app);
RunCommand add_validate(CLI::App& app);
RunCommand add_calibrate(CLI::App& app);
RunCommand add_regress(CLI::App& app);
RunCommand add_report(CLI::App& app);
RunCommand add_place(CLI::App& app);
RunCommand add_schema(CLI::App& app);
RunCommand add_completion(CLI::App& app);

}  // namespace railyard::apps
