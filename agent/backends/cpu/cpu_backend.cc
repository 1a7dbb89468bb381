#include "agent/backends/cpu/compiler.h"
#include "agent/backends/cpu/device.h"
#include "agent/backends/cpu/kernel.h"
#include "agent/backends/cpu/roofs.h"
#include "agent/backends/registry.h"

namespace burnish::backends {
namespace {

class CpuBackend : public Backend {
 public:
  std::string name() const override { return "cpu"; }
  std::vector<work::DeviceInfo> Devices() const override { return {cpu::HostDevice()}; }
  // Below the median: other work on the machine only ever makes a sample slower.
  double ranking_quantile() const override { return 0.2; }
  const Compiler& compiler() const override { return compiler_; }
  const Loader& loader() const override { return loader_; }
  const RoofMeter* roof_meter() const override { return &roof_meter_; }

 private:
  cpu::CpuCompiler compiler_;
  cpu::CpuLoader loader_;
  cpu::CpuRoofMeter roof_meter_;
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend() { return std::make_unique<CpuBackend>(); }

}  // namespace burnish::backends
