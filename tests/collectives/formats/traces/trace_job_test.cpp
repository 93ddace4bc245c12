#include "collectives/formats/traces/trace_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    (void)parse_trace_job(text, "--job");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TraceJob, HasANameFilesAndATime) {
  const TraceJob job = parse_trace_job("other=a.json,b.json@2ms", "--job");
  EXPECT_EQ(job.name, "other");
  EXPECT_THAT(job.files, ElementsAre("a.json", "b.json"));
  EXPECT_EQ(job.arrival, Time::microseconds(2000));
  EXPECT_EQ(parse_trace_job("other=a.json", "--job").arrival, Time());
}

TEST(TraceJob, WhatIsMissingOrWrongIsAnErrorOfTheFlag) {
  EXPECT_THAT(error_of("a.json"), HasSubstr("--job: 'a.json' has no name"));
  EXPECT_THAT(error_of("=a.json"), HasSubstr("has no name"));
  EXPECT_THAT(error_of("a="), HasSubstr("does not contain a file"));
  EXPECT_THAT(error_of("a=b.json@soon"), HasSubstr("has a wrong time"));
  EXPECT_THAT(error_of("a=b.json@-1ms"), HasSubstr("starts before the run begins"));
}

}  // namespace
}  // namespace railyard::collectives
