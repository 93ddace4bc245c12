#include "collectives/formats/export_msccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "collectives/formats/msccl_program.hpp"
#include "collectives/schedule/transfer_log.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

constexpr std::uint64_t kMostTransfers = 1'000'000;
// msccl src/include/msccl/msccl_struct.h: MSCCL_MAX_COUNT, MSCCL_MAX_NUM_STEPS.
constexpr std::uint64_t kMostChunks = 72;
constexpr std::size_t kMostSteps = 256;

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw InputError("", "--export", std::move(message), std::move(hint));
}

std::string_view collective_name(Kind kind) {
  switch (kind) {
    case Kind::all_reduce: return "allreduce";
    case Kind::all_gather: return "allgather";
    case Kind::reduce_scatter: return "reducescatter";
    case Kind::broadcast: return "broadcast";
    case Kind::reduce: return "reduce";
    case Kind::all_to_all: return "alltoall";
    case Kind::send_recv: break;
  }
  refuse("MSCCL has no send_recv", "export GOAL instead");
}

std::string_view protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return "LL";
    case Protocol::ll128: return "LL128";
    case Protocol::simple: break;
  }
  return "Simple";
}

class MscclWriter {
 public:
  explicit MscclWriter(const Schedule& schedule)
      : schedule_(schedule),
        n_(schedule.group().size()),
        kind_(schedule.collective().kind),
        pieces_(schedule.channels().front().chunks_per_block),
        gpus_(n_),
        scratch_(n_) {}

  std::string write() {
    check();
    if (kind_ == Kind::all_to_all) keep_own_blocks();
    const std::vector<LoggedTransfer> log = log_transfers(schedule_, kMostTransfers, "MSCCL XML");
    for (std::size_t begin = 0; begin < log.size();) {
      std::size_t end = begin;
      while (end < log.size() && log[end].channel == log[begin].channel &&
             log[end].step == log[begin].step)
        ++end;
      // Sends read the state before the step, so all sends precede all receives.
      for (std::size_t i = begin; i < end; ++i) add(log[i], true);
      for (std::size_t i = begin; i < end; ++i) add(log[i], false);
      begin = end;
    }
    return text();
  }

 private:
  void check() const {
    if (!schedule_.reducers().empty()) {
      refuse(fmt::format("{} reduces in switches, which MSCCL cannot say", schedule_.algorithm()),
             "export GOAL, or take an algorithm between GPUs alone (ring, tree)");
    }
    for (const Channel& channel : schedule_.channels()) {
      if (channel.chunks_per_block != pieces_) {
        refuse("MSCCL needs as many chunks on every channel", "set --chunk and --channels");
      }
    }
  }

  /// The location of a chunk on a rank.
  MscclSpan span(std::uint32_t rank, std::size_t channel, std::uint64_t chunk) {
    const std::uint64_t per_block = schedule_.channels().size() * pieces_;
    const std::uint64_t block = chunk / pieces_;
    const std::uint64_t piece = channel * pieces_ + chunk % pieces_;
    if (kind_ == Kind::all_gather) return {.buffer = 'o', .offset = block * per_block + piece};
    if (kind_ != Kind::all_to_all) return {.buffer = 'i', .offset = block * per_block + piece};
    if (rank == block / n_) return {.buffer = 'i', .offset = block % n_ * per_block + piece};
    if (rank == block % n_) return {.buffer = 'o', .offset = block / n_ * per_block + piece};
    const auto next = static_cast<std::uint64_t>(scratch_[rank].size());
    return {.buffer = 's',
            .offset = scratch_[rank].try_emplace(block * per_block + piece, next).first->second};
  }

  void keep_own_blocks() {
    const std::uint64_t per_block = schedule_.channels().size() * pieces_;
    for (std::uint32_t rank = 0; rank < n_; ++rank) {
      for (std::uint64_t chunk = 0; chunk < per_block; chunk += kMostChunks) {
        gpus_[rank].copy({.buffer = 'i', .offset = rank * per_block + chunk},
                         {.buffer = 'o', .offset = rank * per_block + chunk},
                         std::min(kMostChunks, per_block - chunk));
      }
    }
  }

  /// Chunks from `first` that lie together at both ends, at most `most`.
  [[nodiscard]] std::uint64_t run_length(std::uint64_t first, std::uint64_t most) const {
    const std::uint64_t in_block = pieces_ - first % pieces_;
    const bool joined = schedule_.channels().size() == 1 && kind_ != Kind::all_to_all;
    return std::min({most, kMostChunks, joined ? most : in_block});
  }

  void add(const LoggedTransfer& logged, bool sends) {
    const Transfer& transfer = logged.transfer;
    if (transfer.relay != kNoParticipant) {
      refuse(fmt::format("{} hands over by relays (PXN), which MSCCL cannot say",
                         schedule_.algorithm()),
             "for all-to-all take direct or hierarchical, for rings --cross-nic 2");
    }
    const auto channel = static_cast<int>(logged.channel);
    for (std::uint64_t done = 0; done < transfer.chunk_count;) {
      const std::uint64_t first = transfer.first_chunk + done;
      const std::uint64_t count = run_length(first, transfer.chunk_count - done);
      const std::uint32_t rank = sends ? transfer.source : transfer.destination;
      const MscclSpan at = span(rank, logged.channel, first);
      // Chunks in scratch need not be contiguous.
      const std::uint64_t taken = kind_ == Kind::all_to_all ? 1 : count;
      if (sends) {
        gpus_[rank].send(static_cast<int>(transfer.destination), channel, at, taken);
      } else {
        gpus_[rank].receive(static_cast<int>(transfer.source), channel, at, taken,
                            transfer.action == Action::reduce);
      }
      done += taken;
    }
  }

  [[nodiscard]] std::string text() const {
    const std::uint64_t per_block = schedule_.channels().size() * pieces_;
    const bool has_blocks = schedule_.blocks() > 1;
    const std::uint64_t chunks = per_block * (has_blocks ? n_ : 1);
    const bool in_place = kind_ != Kind::all_to_all;
    fmt::memory_buffer out;
    fmt::format_to(
        std::back_inserter(out),
        "<algo name=\"railyard_{}_{}\" proto=\"{}\" nchannels=\"{}\" nchunksperloop=\"{}\" "
        "ngpus=\"{}\" coll=\"{}\" inplace=\"{}\" outofplace=\"{}\" minBytes=\"0\" "
        "maxBytes=\"0\">\n",
        schedule_.algorithm(), collective_name(kind_), protocol_name(schedule_.protocol()),
        schedule_.channels().size(), chunks, n_, collective_name(kind_), in_place ? 1 : 0,
        in_place ? 0 : 1);
    for (std::uint32_t rank = 0; rank < n_; ++rank) {
      fmt::format_to(std::back_inserter(out),
                     "  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                     kind_ == Kind::all_gather ? per_block : chunks,
                     kind_ == Kind::reduce_scatter ? per_block : chunks, scratch_[rank].size());
      const auto& blocks = gpus_[rank].blocks();
      for (std::size_t id = 0; id < blocks.size(); ++id) write_block(out, rank, id, blocks[id]);
      fmt::format_to(std::back_inserter(out), "  </gpu>\n");
    }
    fmt::format_to(std::back_inserter(out), "</algo>\n");
    return fmt::to_string(out);
  }

  void write_block(fmt::memory_buffer& out, std::uint32_t rank, std::size_t id,
                   const MscclBlock& block) const {
    if (block.steps.size() > kMostSteps) {
      refuse(fmt::format("rank {} needs {} steps in a thread block, MSCCL takes {}", rank,
                         block.steps.size(), kMostSteps),
             "fewer ranks, or a larger --chunk");
    }
    fmt::format_to(std::back_inserter(out),
                   "    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", id, block.send,
                   block.receive, block.channel);
    for (std::size_t s = 0; s < block.steps.size(); ++s) {
      const MscclStep& step = block.steps[s];
      fmt::format_to(std::back_inserter(out),
                     "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" "
                     "dstoff=\"{}\" "
                     "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
                     s, step.type, step.source.buffer, step.source.offset, step.destination.buffer,
                     step.destination.offset, step.count, step.depends_on_block,
                     step.depends_on_step, step.has_dependents ? 1 : 0);
    }
    fmt::format_to(std::back_inserter(out), "    </tb>\n");
  }

  const Schedule& schedule_;
  std::uint32_t n_;
  Kind kind_;
  std::uint64_t pieces_;
  std::vector<MscclGpu> gpus_;
  std::vector<std::map<std::uint64_t, std::uint64_t>> scratch_;
};

}  // namespace

std::string export_msccl(const Schedule& schedule) { return MscclWriter(schedule).write(); }

}  // namespace railyard::collectives
