// One workload of the flow-engine comparison in SimGrid, through its public S4U interface, set to
// plain max-min fairness. Prints one JSON line: CPU seconds, simulated seconds, peak memory.
//   simgrid_flows WORKLOAD HOSTS TIERS sendto|mailboxes
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tests/bench/maxmin_workload_names.hpp"
#include "tests/bench/process_cost.hpp"

namespace sg4 = simgrid::s4u;
using railyard::bench::Message;

namespace {

std::vector<sg4::Host*> build_fat_tree(unsigned hosts, int tiers) {
  const auto parameters = tiers == 3
                              ? sg4::FatTreeParams(3, {16, 16, hosts / 256}, {1, 16, 16}, {1, 1, 1})
                              : sg4::FatTreeParams(2, {16, hosts / 16}, {1, 16}, {1, 1});
  std::vector<sg4::Host*> made;
  const auto make_host = [&made](sg4::NetZone* zone, const std::vector<unsigned long>&,
                                 unsigned long id) {
    auto* host = zone->create_host("host" + std::to_string(id), 1e9)->seal();
    made.push_back(host);
    return std::make_pair(host->get_netpoint(),
                          static_cast<simgrid::kernel::routing::NetPoint*>(nullptr));
  };
  auto* zone =
      sg4::create_fatTree_zone("fabric", nullptr, parameters, sg4::ClusterCallbacks(make_host),
                               50e9, 0.0, sg4::Link::SharingPolicy::SPLITDUPLEX);
  zone->seal();
  return made;
}

void send_all_from_one_actor(const std::vector<Message>& messages,
                             const std::vector<sg4::Host*>& hosts) {
  sg4::Actor::create("driver", hosts[0], [&messages, &hosts] {
    std::vector<sg4::CommPtr> pending;
    for (const auto& m : messages) {
      pending.push_back(sg4::Comm::sendto_async(hosts[m.source], hosts[m.destination],
                                                static_cast<std::uint64_t>(m.bytes)));
    }
    sg4::Comm::wait_all(pending);
  });
}

void send_from_every_host(const std::vector<Message>& messages,
                          const std::vector<sg4::Host*>& hosts) {
  std::vector<std::vector<std::size_t>> out(hosts.size()), in(hosts.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    out[messages[i].source].push_back(i);
    in[messages[i].destination].push_back(i);
  }
  static int payload = 0;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    sg4::Actor::create(
        "rank" + std::to_string(h), hosts[h], [&messages, sends = out[h], receives = in[h]] {
          std::vector<sg4::CommPtr> pending;
          std::vector<int*> landing(receives.size());
          for (std::size_t i = 0; i < receives.size(); ++i) {
            pending.push_back(
                sg4::Mailbox::by_name(std::to_string(receives[i]))->get_async<int>(&landing[i]));
          }
          for (const std::size_t i : sends) {
            pending.push_back(
                sg4::Mailbox::by_name(std::to_string(i))
                    ->put_async(&payload, static_cast<std::uint64_t>(messages[i].bytes)));
          }
          sg4::Comm::wait_all(pending);
        });
  }
}

/// Ring AllReduce of 1 GiB: in 2(N-1) steps every rank sends 1/N to the next and waits for its own.
void ring_all_reduce(const std::vector<sg4::Host*>& hosts) {
  static int payload = 0;
  const std::size_t n = hosts.size();
  for (std::size_t h = 0; h < n; ++h) {
    sg4::Actor::create("rank" + std::to_string(h), hosts[h], [h, n] {
      auto* const to = sg4::Mailbox::by_name(std::to_string((h + 1) % n));
      auto* const own = sg4::Mailbox::by_name(std::to_string(h));
      for (std::size_t step = 0; step < 2 * (n - 1); ++step) {
        int* landing = nullptr;
        const auto receive = own->get_async<int>(&landing);
        const auto send = to->put_async(&payload, railyard::bench::kRingBytes / n);
        receive->wait();
        send->wait();
      }
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s WORKLOAD HOSTS TIERS sendto|mailboxes\n", argv[0]);
    return 2;
  }
  const std::string workload = argv[1];
  const auto count = static_cast<unsigned>(std::atoi(argv[2]));
  const int tiers = std::atoi(argv[3]);
  const std::string api = argv[4];
  std::vector<std::string> words = {"simgrid",
                                    "--log=root.thresh:critical",
                                    "--cfg=network/model:CM02",
                                    "--cfg=network/crosstraffic:no",
                                    "--cfg=network/TCP-gamma:0",
                                    "--cfg=network/bandwidth-factor:1",
                                    "--cfg=network/latency-factor:1",
                                    "--cfg=network/weight-S:0",
                                    "--cfg=contexts/stack-size:64"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int arguments_count = static_cast<int>(words.size());
  sg4::Engine engine(&arguments_count, arguments.data());
  const auto hosts = build_fat_tree(count, tiers);
  const bool is_ring = workload == "ring";
  const auto messages =
      is_ring ? std::vector<Message>{} : railyard::bench::workload(workload, count);
  const double before = railyard::bench::cpu_seconds();
  if (is_ring) {
    ring_all_reduce(hosts);
  } else if (api == "sendto") {
    send_all_from_one_actor(messages, hosts);
  } else {
    send_from_every_host(messages, hosts);
  }
  engine.run();
  std::printf(
      "{\"tool\":\"simgrid-%s\",\"workload\":\"%s\",\"hosts\":%u,\"tiers\":%d,\"flows\":%zu,"
      "\"simulated_s\":%.12g,\"cpu_s\":%.6g,\"peak_MB\":%.1f}\n",
      api.c_str(), workload.c_str(), count, tiers,
      is_ring ? std::size_t{2} * (count - 1) * count : messages.size(), sg4::Engine::get_clock(),
      railyard::bench::cpu_seconds() - before, railyard::bench::peak_megabytes());
  return 0;
}
