// Notices that the agent is gone, whatever the worker is busy with.
#pragma once

namespace burnish::worker {

// Watches `fd` from a thread of its own. The descriptor returned becomes readable when the other
// side of `fd` has gone: everything that waits for a child waits for it too, so that the worker
// unwinds and takes its children along. A worker that is not done a second later is ended.
// Called once per process.
int WatchForHangup(int fd);

}  // namespace burnish::worker
