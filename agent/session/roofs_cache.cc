#include "agent/session/roofs_cache.h"

#include "absl/strings/str_join.h"
#include "burnish/v1/device.pb.h"
#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/version.h"
#include "common/wire/device.h"

namespace burnish::agent {
namespace {

constexpr size_t kLargestFileBytes = 64 << 10;

}  // namespace

std::string RoofsCache::PathOf(const work::DeviceInfo& device) const {
  const std::string key =
      Sha256Hex(absl::StrJoin({std::string(kVersion), device.backend, device.device_class,
                               work::EnvironmentHash(device.environment)},
                              "\n"));
  return folder_ + "/" + key + ".roofs";
}

std::optional<work::Roofs> RoofsCache::Find(const work::DeviceInfo& device) const {
  const absl::StatusOr<std::string> content = ReadFile(PathOf(device), kLargestFileBytes);
  burnish::v1::Roofs proto;
  if (!content.ok() || !proto.ParseFromString(*content)) return std::nullopt;
  const absl::StatusOr<work::Roofs> roofs = wire::FromProto(proto);
  if (!roofs.ok() || !roofs->known()) return std::nullopt;
  return *roofs;
}

void RoofsCache::Put(const work::DeviceInfo& device, const work::Roofs& roofs) const {
  const absl::Status written = WriteFileAtomically(
      PathOf(device), wire::ToProto(roofs).SerializeAsString(), /*durable=*/false);
  if (written.ok()) return;
  Log(LogLevel::kWarning, "roofs_not_kept", {{"reason", std::string(written.message())}});
}

}  // namespace burnish::agent
