// The version of this source tree, the same in every program.
#pragma once

namespace burnish {

inline constexpr char kVersion[] = "0.1.0";
// Of what agents and servers say to each other: raised by a change that the other side cannot
// ignore. A server takes agents of its own version alone.
inline constexpr int kAgentProtocol = 2;

}  // namespace burnish
