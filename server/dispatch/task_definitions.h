// The definitions of tasks, read from their stored jobs and kept while they are in use. Not
// thread-safe.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "common/work/task_definition.h"
#include "server/store/store.h"

namespace burnish::dispatch {

class TaskDefinitions {
 public:
  explicit TaskDefinitions(store::Store& store) : store_(store) {}

  // Null for a task whose stored job no longer reads (which is logged once, and fails the job
  // elsewhere) or cannot be fetched now.
  std::shared_ptr<const work::TaskDefinition> Find(const store::OpenTask& task);

 private:
  struct Kept {
    std::shared_ptr<const work::TaskDefinition> definition;
    size_t bytes = 0;
  };

  store::Store& store_;
  size_t bytes_ = 0;  // of all that are kept
  std::map<TaskHash, Kept> definitions_;
  std::deque<TaskHash> oldest_first_;
};

}  // namespace burnish::dispatch
