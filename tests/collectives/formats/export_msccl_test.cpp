#include "collectives/formats/export_msccl.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::make_cluster;
using testing::make_request;

using Attributes = std::map<std::string, std::string>;

struct Block {
  int send = -1, receive = -1, channel = 0;
  std::vector<Attributes> steps;
};
struct Program {
  Attributes algorithm;
  std::vector<std::vector<Block>> gpus;
};

Program read_msccl(const std::string& text) {
  static const std::regex kAttribute("([a-zA-Z_]+)=\"([^\"]*)\"");
  Program program;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    Attributes found;
    for (std::sregex_iterator at(line.begin(), line.end(), kAttribute), end; at != end; ++at)
      found[(*at)[1]] = (*at)[2];
    if (line.find("<algo") != std::string::npos) program.algorithm = found;
    if (line.find("<gpu") != std::string::npos) program.gpus.emplace_back();
    if (line.find("<tb") != std::string::npos) {
      program.gpus.back().push_back(
          {std::stoi(found["send"]), std::stoi(found["recv"]), std::stoi(found["chan"]), {}});
    }
    if (line.find("<step") != std::string::npos) program.gpus.back().back().steps.push_back(found);
  }
  return program;
}

/// An interpreter of the format: thread blocks run their steps in order, each once its dependency
/// is done; messages between two GPUs on a channel are a queue. Values are sets of contributions as
/// bit masks, counted by sums of powers of 16 (up to 15 ranks, each at most 15 times).
class Interpreter {
 public:
  using Place = std::tuple<std::size_t, std::string, std::uint64_t>;
  explicit Interpreter(const Program& program) : program_(program) {}
  std::map<Place, std::uint64_t> memory;

  /// `seed` chooses which thread block moves next, so that orders differ from run to run.
  bool run(unsigned seed) {
    std::vector<std::vector<std::size_t>> next;
    for (const auto& gpu : program_.gpus) next.emplace_back(gpu.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t g = 0; g < next.size(); ++g) {
        const std::size_t gpu = (g * 7 + seed) % next.size();
        for (std::size_t b = 0; b < next[gpu].size(); ++b) {
          const std::size_t block = seed % 2 == 0 ? b : next[gpu].size() - 1 - b;
          while (next[gpu][block] < program_.gpus[gpu][block].steps.size() &&
                 step(gpu, block, next)) {
            ++next[gpu][block];
            moved = true;
          }
        }
      }
    }
    for (std::size_t gpu = 0; gpu < next.size(); ++gpu) {
      for (std::size_t block = 0; block < next[gpu].size(); ++block) {
        if (next[gpu][block] != program_.gpus[gpu][block].steps.size()) return false;
      }
    }
    return true;
  }

 private:
  bool step(std::size_t gpu, std::size_t block, const std::vector<std::vector<std::size_t>>& next) {
    const Block& at = program_.gpus[gpu][block];
    const Attributes& now = at.steps[next[gpu][block]];
    const int other = std::stoi(now.at("depid"));
    if (other >= 0 && next[gpu][static_cast<std::size_t>(other)] <= std::stoul(now.at("deps")))
      return false;
    if (other >= 0) {
      EXPECT_EQ(
          program_.gpus[gpu][static_cast<std::size_t>(other)].steps[std::stoul(now.at("deps"))].at(
              "hasdep"),
          "1");
    }
    const std::string& type = now.at("type");
    const std::uint64_t count = std::stoul(now.at("cnt"));
    const auto place = [&](const char* buffer, const char* offset, std::uint64_t c) {
      return Place{gpu, now.at(buffer), std::stoul(now.at(offset)) + c};
    };
    if (type == "s") {
      std::vector<std::uint64_t> values;
      for (std::uint64_t c = 0; c < count; ++c)
        values.push_back(memory[place("srcbuf", "srcoff", c)]);
      wires_[{gpu, at.send, at.channel}].push_back(std::move(values));
    } else if (type == "r" || type == "rrc") {
      auto& wire =
          wires_[{static_cast<std::size_t>(at.receive), static_cast<int>(gpu), at.channel}];
      if (wire.empty()) return false;
      EXPECT_EQ(wire.front().size(), count);
      for (std::uint64_t c = 0; c < count; ++c) {
        const std::uint64_t mine = type == "rrc" ? memory[place("srcbuf", "srcoff", c)] : 0;
        memory[place("dstbuf", "dstoff", c)] = mine + wire.front()[c];
      }
      wire.pop_front();
    } else if (type == "cpy") {
      for (std::uint64_t c = 0; c < count; ++c)
        memory[place("dstbuf", "dstoff", c)] = memory[place("srcbuf", "srcoff", c)];
    }
    return true;
  }

  const Program& program_;
  std::map<std::tuple<std::size_t, int, int>, std::deque<std::vector<std::uint64_t>>> wires_;
};

std::uint64_t contribution(std::size_t rank) { return std::uint64_t{1} << (4 * rank); }

/// Fills the input buffers as MSCCL's users do, runs, and checks the output buffers.
void check_result(const Program& program, Kind kind, unsigned seed) {
  const std::size_t n = program.gpus.size();
  const std::uint64_t chunks = std::stoul(program.algorithm.at("nchunksperloop"));
  const bool has_blocks =
      kind != Kind::all_reduce && kind != Kind::broadcast && kind != Kind::reduce;
  const std::uint64_t per_block = has_blocks ? chunks / n : chunks;
  std::uint64_t everyone = 0;
  for (std::size_t rank = 0; rank < n; ++rank) everyone += contribution(rank);
  Interpreter machine(program);
  const std::string in = kind == Kind::all_gather ? "o" : "i";
  for (std::size_t rank = 0; rank < n; ++rank) {
    for (std::uint64_t c = 0; c < chunks; ++c) {
      const bool own = kind != Kind::all_gather || c / per_block == rank;
      // In an all-to-all the value also says for whom it is.
      const std::uint64_t mark = kind == Kind::all_to_all ? (c + 1) << 32 : 0;
      if (own) machine.memory[{rank, in, c}] = contribution(rank) + mark;
    }
  }
  ASSERT_TRUE(machine.run(seed)) << "stuck";
  for (std::size_t rank = 0; rank < n; ++rank) {
    for (std::uint64_t c = 0; c < chunks; ++c) {
      const std::uint64_t block = c / per_block;
      switch (kind) {
        case Kind::all_reduce: EXPECT_EQ((machine.memory[{rank, "i", c}]), everyone); break;
        case Kind::reduce:
          EXPECT_TRUE((rank != 1 || machine.memory[{rank, "i", c}] == everyone));
          break;
        case Kind::broadcast: EXPECT_EQ((machine.memory[{rank, "i", c}]), contribution(1)); break;
        case Kind::reduce_scatter:
          EXPECT_TRUE((block != rank || machine.memory[{rank, "i", c}] == everyone));
          break;
        case Kind::all_gather:
          EXPECT_EQ((machine.memory[{rank, "o", c}]), contribution(block));
          break;
        case Kind::all_to_all:
          EXPECT_EQ((machine.memory[{rank, "o", c}]),
                    contribution(block) + ((rank * per_block + c % per_block + 1) << 32));
          break;
        case Kind::send_recv: break;
      }
    }
  }
}

TEST(ExportMsccl, EveryExportGivesTheResultInAnyOrder) {
  int exported = 0;
  for (const int nodes : {1, 3}) {
    // At most 8 ranks: contributions of 4 bits each in 32.
    const topology::Cluster cluster =
        make_cluster({.gpus = nodes == 1 ? 5 : 2, .nics = nodes == 1 ? 5 : 2}, nodes);
    for (const Algorithm& algorithm : algorithms()) {
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                              Kind::broadcast, Kind::reduce, Kind::all_to_all}) {
        const Request request =
            make_request(cluster, {.kind = kind, .bytes = Bytes(4'800), .root = 1},
                         {.channels = 2, .chunk = Bytes(500)});
        if (!algorithm.supports(kind) || !algorithm.why_not(request).empty()) continue;
        const Schedule schedule = algorithm.build(request);
        const bool relays = algorithm.name == "rail_pxn" && nodes > 1;
        if (!schedule.reducers().empty() || relays) {
          EXPECT_THROW((void)export_msccl(schedule), InputError) << algorithm.name;
          continue;
        }
        SCOPED_TRACE(std::string(algorithm.name) + " " + std::string(to_text(kind)));
        const Program program = read_msccl(export_msccl(schedule));
        for (unsigned seed = 0; seed < 4; ++seed) check_result(program, kind, seed);
        ++exported;
      }
    }
  }
  EXPECT_GE(exported, 20);
}

TEST(ExportMsccl, TwoRanksInFull) {
  // all_gather over a ring of two: each sends its block and receives the other's.
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 1);
  const Request request = make_request(cluster, {.kind = Kind::all_gather, .bytes = Bytes(16)});
  EXPECT_EQ(
      export_msccl(build_schedule("ring", request)),
      R"(<algo name="railyard_ring_allgather" proto="Simple" nchannels="1" nchunksperloop="2" )"
      R"(ngpus="2" coll="allgather" inplace="1" outofplace="0" minBytes="0" maxBytes="0">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" )"
      R"(deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" )"
      R"(deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" )"
      R"(deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" )"
      R"(deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)");
}

TEST(ExportMsccl, SaysWhyItCannot) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 1);
  try {
    (void)export_msccl(build_schedule("nvls", make_request(cluster, {.bytes = Bytes(4096)})));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("nvls reduces in switches"), std::string::npos);
  }
  EXPECT_THROW(
      (void)export_msccl(build_schedule(
          "neighbour", make_request(cluster, {.kind = Kind::send_recv, .bytes = Bytes(4096)}))),
      InputError);
}

}  // namespace
}  // namespace railyard::collectives
