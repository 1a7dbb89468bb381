#include "agent/worker/roofs.h"

#include "absl/strings/str_cat.h"
#include "agent/backends/registry.h"
#include "common/base/diagnostic.h"
#include "common/base/status_macros.h"
#include "common/wire/device.h"

namespace burnish::worker {

absl::StatusOr<burnish::v1::Roofs> MeasureRoofs(const burnish::v1::MeasureRoofsRequest& request,
                                                int cancel_fd) {
  const backends::Backend* const backend = backends::FindBackend(request.backend());
  if (backend == nullptr) {
    return InvalidInput(absl::StrCat("unknown backend '", request.backend(), "'"),
                        NameHint(request.backend(), backends::BackendNames()));
  }
  work::Roofs roofs;
  if (const backends::RoofMeter* const meter = backend->roof_meter()) {
    ASSIGN_OR_RETURN(roofs, meter->Measure({.device_index = request.device_index(),
                                            .artefact_folder = request.artefact_folder(),
                                            .cancel_fd = cancel_fd}));
  } else {
    roofs.absence = absl::StrCat("devices of the ", backend->name(), " backend have none");
  }
  return wire::ToProto(roofs);
}

}  // namespace burnish::worker
