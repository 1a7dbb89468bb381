// The least time in which a device could run a configuration, whatever its code: what it has to
// compute at the device's peak, or what it has to move at the bandwidth of the memory that holds
// it, whichever takes longer (S. Williams, A. Waterman and D. Patterson, "Roofline", CACM 2009).
//
// Roofs are measured too, so the bound leaves room for ones that were measured too low: a kernel is
// believed to be up to kBeyondRoof times as fast as they say. Immutable, so thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "common/space/search_space.h"
#include "common/spec/job_spec.h"
#include "common/work/roofs.h"

namespace burnish::costmodel {

inline constexpr double kBeyondRoof = 1.15;

// Nothing unless the work and the roofs for it are known.
std::optional<double> LeastSeconds(const work::Roofs& roofs, const work::KernelWork& work);

// Of every configuration, where its work depends on the parameters.
class Roofline {
 public:
  // `flops` and `bytes` name parameters of the space alone, which outlives this. What they come to
  // replaces that of `work`.
  Roofline(const space::SearchSpace& space, work::Roofs roofs, work::KernelWork work,
           spec::WorkAmount flops, spec::WorkAmount bytes);

  // 0 where nothing is known: no roof, or the work comes to no positive number.
  double LeastSeconds(space::ConfigurationIndex index) const;

 private:
  struct Amount {
    spec::WorkAmount what;
    std::vector<size_t> parameters;  // in the order of the expression's names
  };
  Amount AmountOf(spec::WorkAmount what) const;
  double Evaluate(const Amount& amount, const space::Row& row) const;

  const space::SearchSpace& space_;
  const work::Roofs roofs_;
  const work::KernelWork work_;
  const Amount flops_;
  const Amount bytes_;
};

}  // namespace burnish::costmodel
