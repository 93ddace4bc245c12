#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace railyard::collectives {

/// The location of chunks on a GPU: buffer 'i' (input), 'o' (output) or 's' (scratch), and the
/// first chunk.
struct MscclSpan {
  char buffer = 'i';
  std::uint64_t offset = 0;
  friend auto operator<=>(const MscclSpan&, const MscclSpan&) = default;
};

/// A step of a thread block.
struct MscclStep {
  std::string_view type;  ///< "s", "r", "rrc", "cpy", "nop"
  MscclSpan source, destination;
  std::uint64_t count = 1;
  int depends_on_block = -1;  ///< thread block and its step; -1: none
  int depends_on_step = -1;
  bool has_dependents = false;
};

/// A thread block of one channel. It sends to one peer or receives from one.
struct MscclBlock {
  int send = -1, receive = -1, channel = 0;
  std::vector<MscclStep> steps;
};

/// The program of one GPU. Steps are added in the schedule's order. Each gets the dependencies on
/// other thread blocks that keep its reads and writes in this order. A step can have one
/// dependency; nop steps hold the others.
class MscclGpu {
 public:
  void send(int peer, int channel, MscclSpan from, std::uint64_t count);
  void receive(int peer, int channel, MscclSpan to, std::uint64_t count, bool reduces);
  /// Copies input to output, before all else.
  void copy(MscclSpan from, MscclSpan to, std::uint64_t count);
  [[nodiscard]] const std::vector<MscclBlock>& blocks() const { return blocks_; }

 private:
  struct At {
    int block = -1, step = -1;
    friend auto operator<=>(const At&, const At&) = default;
  };
  struct Access {
    At writer;
    std::vector<At> readers;  ///< steps that read it since the write
  };
  int block(int send, int receive, int channel);
  At add(int block, MscclStep step, std::vector<At> needed);

  std::vector<MscclBlock> blocks_;
  std::map<std::tuple<int, int, int>, int> index_;
  std::map<MscclSpan, Access> accesses_;
};

}  // namespace railyard::collectives
