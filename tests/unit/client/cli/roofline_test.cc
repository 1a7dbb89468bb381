#include "client/cli/roofline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/wire/device.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace burnish::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

pb::Device TestDevice() {
  pb::Device device;
  device.set_device_id("lab1/cpu:0");
  work::DeviceInfo info{.backend = "cpu", .name = "Fast & <wide>", .device_class = "x"};
  info.roofs.peaks = {{"f64", 1, 5e10}, {"f32", 1, 1e11}, {"i8", 1, 4e11},
                      {"f64", 2, 1e11}, {"f32", 2, 2e11}, {"i8", 2, 8e11}};
  info.roofs.bandwidths = {{"L1", 32 << 10, 1, 2e11},
                           {"memory", int64_t{16} << 30, 1, 2e10},
                           {"L1", 64 << 10, 2, 4e11},
                           {"memory", int64_t{16} << 30, 2, 2.5e10}};
  *device.mutable_info() = wire::ToProto(info);
  return device;
}

void AddTask(pb::ListReply& jobs, const std::string& name, double flops, double bytes,
             const std::string& device = "lab1/cpu:0") {
  pb::JobSnapshot& job = *jobs.add_jobs();
  job.set_name(name);
  pb::TaskSnapshot& task = *job.add_tasks();
  task.set_task_id("j" + std::to_string(jobs.jobs_size()) + ".1");
  task.set_problem(name);
  task.mutable_device()->set_device_id(device);
  task.set_flops(flops);
  task.set_bytes(bytes);
  task.mutable_best()->set_latency_seconds(1e-3);
  task.mutable_best()->set_roof_share(0.5);
}

pb::ListReply SomeJobs() {
  pb::ListReply jobs;
  AddTask(jobs, "matmul <512>", 1e8, 1e7);
  AddTask(jobs, "add", 1e6, 1.2e7);
  AddTask(jobs, "add", 1e6, 1.2e7);
  AddTask(jobs, "no bytes", 1e8, 0);
  AddTask(jobs, "elsewhere", 1e8, 1e7, "lab2/cpu:0");
  return jobs;
}

// Names of elements that are open at the end, or what is not well formed.
std::vector<std::string> OpenElements(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const size_t end = xml.find('>', at);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (end == std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) {
      return {"bad tag: " + tag};
    }
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return {"not open: " + tag};
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open;
}

TEST(RooflineTest, PointsAreTheNewestBestOfEachProblemOnTheDevice) {
  const auto roofline = MakeRoofline(TestDevice(), SomeJobs());
  ASSERT_TRUE(roofline.ok()) << roofline.status();
  EXPECT_EQ(roofline->threads, 2);
  ASSERT_THAT(roofline->points, SizeIs(2));
  EXPECT_EQ(roofline->points[0].name, "matmul <512>");
  EXPECT_EQ(roofline->points[0].operations_per_byte, 10);
  EXPECT_EQ(roofline->points[0].operations_per_second, 1e11);
  EXPECT_EQ(roofline->points[1].task_id, "j2.1");
}

TEST(RooflineTest, WithoutRoofsTheReasonIsTold) {
  pb::Device device = TestDevice();
  device.mutable_info()->mutable_roofs()->Clear();
  device.mutable_info()->mutable_roofs()->set_absence("devices of the null backend have none");
  const absl::Status status = MakeRoofline(device, {}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(status.message(),
            "the roofs of lab1/cpu:0 are not known: devices of the null backend have none");
}

TEST(RooflineTest, TablesShowRoofsRidgesAndPoints) {
  const std::string text = RooflineTables(*MakeRoofline(TestDevice(), SomeJobs()));
  EXPECT_THAT(text, HasSubstr("f32         100.0 GFLOP/s  200.0 GFLOP/s\n"));
  EXPECT_THAT(text, HasSubstr("i8          400.0 GOP/s"));
  EXPECT_THAT(text, HasSubstr("memory   16 GiB  20.00 GB/s  25.00 GB/s  4.0 op/B   8.0 op/B"));
  EXPECT_THAT(text, HasSubstr("A  matmul <512>  j1.1  10"));
  EXPECT_THAT(RooflineTables(*MakeRoofline(TestDevice(), {})), HasSubstr("no points"));
}

TEST(RooflineTest, TheDocumentHasRoofsRidgesAndPoints) {
  const auto document = RooflineDocument(*MakeRoofline(TestDevice(), SomeJobs()));
  EXPECT_EQ(document["device_id"], "lab1/cpu:0");
  EXPECT_THAT(document["peaks"], SizeIs(6));
  EXPECT_THAT(document["ridges"], SizeIs(12));
  EXPECT_EQ(document["ridges"][0]["operations_per_byte"], 0.25);
  EXPECT_EQ(document["points"][1]["roof_share"], 0.5);
}

TEST(RooflineTest, TheChartShowsEveryLevelPeakAndPoint) {
  const std::string chart = RooflineChart(*MakeRoofline(TestDevice(), SomeJobs()));
  for (const char* mark : {"L1", "memory", " f32", " f64", " i8", "A", "B", "operations/byte"}) {
    EXPECT_THAT(chart, HasSubstr(mark)) << chart;
  }
}

TEST(RooflineTest, TheSvgIsWellFormedWhateverTheNames) {
  const std::string svg = RooflineSvg(*MakeRoofline(TestDevice(), SomeJobs()));
  EXPECT_THAT(OpenElements(svg), SizeIs(0)) << OpenElements(svg).front();
  for (const char* part :
       {"Fast &amp; &lt;wide&gt;", "operations per byte", "L1 400.0 GB/s", "i8 800.0 GOP/s",
        "<title>matmul &lt;512&gt; (j1.1): 100.0 GOP/s at 10 operations per byte, 50 % of roof"}) {
    EXPECT_THAT(svg, HasSubstr(part));
  }
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(RooflineTest, AxesHoldWhatLiesFarOff) {
  pb::ListReply jobs;
  AddTask(jobs, "slow", 1, 1e6);
  const auto roofline = MakeRoofline(TestDevice(), jobs);
  const RooflineAxes axes = AxesOf(*roofline);
  EXPECT_GT(axes.operations_per_byte.Place(1e-6), 0);
  EXPECT_GT(axes.operations_per_second.Place(1e3), 0);
  EXPECT_LT(axes.operations_per_second.Place(8e11), 1);
  EXPECT_EQ(DecadeText(1e10), "10 G");
  EXPECT_EQ(DecadeText(0.1), "0.1");
}

}  // namespace
}  // namespace burnish::cli
