#pragma once

#include <optional>
#include <string>

namespace fake {

/// Value of an environment variable, or what stands for it.
std::string setting(const char* name, const std::string& otherwise);
int number(const char* name, int otherwise);

/// What is to go wrong, from FAKE_FAULT: "ACTION:CALL:RANK[:RESULT][:NTH]", several by ';'.
///   fail:ncclSend:1:2      ncclSend of rank 1 returns 2
///   hang:ncclGroupEnd:1    the call of rank 1 never returns
///   die:ncclGroupEnd:1::3  the process ends at once at rank 1's third call
///   stall:stream:1         what rank 1 has on its stream never ends
///   corrupt:recv:1         one byte that rank 1 receives is wrong
/// RANK is the rank of a communicator, or for CUDA calls the device. Counted in this process.
/// Returns what the call must return instead, or nothing; does not return where it hangs or dies.
std::optional<int> fault(const char* call, int rank);
/// Whether an action without a call's result is due: ("stall", "stream", 1).
bool due(const char* action, const char* call, int rank);

}  // namespace fake
