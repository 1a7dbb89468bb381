// gRPC's own complaints, as events of our log.
#pragma once

namespace burnish::net {

// They repeat what our messages say, in a form of their own: level debug. Once, early in main.
void LogGrpcMessages();

}  // namespace burnish::net
