// The version of this source tree, the same in every program.
#pragma once

namespace burnish {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace burnish
