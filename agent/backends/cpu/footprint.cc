#include "agent/backends/cpu/footprint.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "common/base/file.h"

namespace burnish::backends::cpu {
namespace {

constexpr size_t kLibraryBytes = 256 << 20;

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);

// The library's own file may say anything: nothing outside of it is read.
template <typename Record>
std::optional<Record> RecordAt(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, file.data() + offset, sizeof(Record));
  return record;
}

std::string_view TextAt(std::string_view file, uint64_t offset) {
  if (offset >= file.size()) return {};
  const std::string_view rest = file.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

bool HoldsVariables(std::string_view name) {
  // .data.rel.ro is no longer written to once the library is loaded.
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{".data", ".bss", ".tdata", ".tbss"},
      [&](std::string_view kept) { return name == kept; });
}

}  // namespace

std::optional<Footprint> ReadFootprint(const std::string& library_path) {
  const auto content = ReadFile(library_path, kLibraryBytes);
  if (!content.ok()) return std::nullopt;
  const std::string_view file = *content;
  const auto header = RecordAt<Header>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_shentsize != sizeof(Section)) {
    return std::nullopt;
  }
  const auto section = [&](uint64_t index) {
    return RecordAt<Section>(file, header->e_shoff + index * sizeof(Section));
  };
  const auto names = section(header->e_shstrndx);
  if (!names) return std::nullopt;
  Footprint footprint;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return std::nullopt;
    if ((one->sh_flags & SHF_ALLOC) == 0) continue;
    if ((one->sh_flags & SHF_EXECINSTR) != 0) {
      footprint.code_bytes += static_cast<double>(one->sh_size);
    } else if (HoldsVariables(TextAt(file, names->sh_offset + one->sh_name))) {
      footprint.variable_bytes += static_cast<double>(one->sh_size);
    }
  }
  return footprint;
}

}  // namespace burnish::backends::cpu
