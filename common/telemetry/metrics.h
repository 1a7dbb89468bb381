// The metrics of a process: handles to count with, and the text that a scrape gets.
//
// Handles are copied freely and thread-safe. A default-constructed handle counts nowhere, so code
// that is given none, as in most tests, needs no case of its own. The Metrics object outlives the
// use of its handles.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/telemetry/metric_names.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
template <typename T>
class Family;
}  // namespace prometheus

namespace burnish::telemetry {

class Counter {
 public:
  using Metric = prometheus::Counter;
  Counter() = default;
  explicit Counter(Metric* metric) : metric_(metric) {}
  void Add(double amount = 1) const;

 private:
  Metric* metric_ = nullptr;
};

class Gauge {
 public:
  using Metric = prometheus::Gauge;
  Gauge() = default;
  explicit Gauge(Metric* metric) : metric_(metric) {}
  void Set(double value) const;
  void Add(double amount) const;

 private:
  Metric* metric_ = nullptr;
};

// Of seconds, with buckets of 1, 2 and 5 per decade from 1 ms to 500 s, or of what its name says.
class Histogram {
 public:
  using Metric = prometheus::Histogram;
  Histogram() = default;
  explicit Histogram(Metric* metric) : metric_(metric) {}
  void Observe(absl::Duration duration) const { Observe(absl::ToDoubleSeconds(duration)); }
  void Observe(double value) const;

 private:
  Metric* metric_ = nullptr;
};

// A metric with labels.
template <typename Handle>
class Family {
 public:
  Family() = default;
  Family(prometheus::Family<typename Handle::Metric>* family, const MetricName* name)
      : family_(family), name_(name) {}
  // The series with these values of the labels, in the order of MetricName; made if needed. A
  // value outside its label's set is taken as "other".
  Handle With(std::initializer_list<std::string_view> values) const;

 private:
  prometheus::Family<typename Handle::Metric>* family_ = nullptr;
  const MetricName* name_ = nullptr;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();

  // All series whose labels have listed values exist from here on, at 0.
  Family<Counter> Counters(const MetricName& name);
  Family<Gauge> Gauges(const MetricName& name);
  Family<Histogram> Histograms(const MetricName& name);
  // Those without labels.
  Counter NewCounter(const MetricName& name) { return Counters(name).With({}); }
  Gauge NewGauge(const MetricName& name) { return Gauges(name).With({}); }
  Histogram NewHistogram(const MetricName& name) { return Histograms(name).With({}); }

  // `refresh` brings gauges up to date; it is called before a scrape, one at a time. It may hang,
  // as a database does: other scrapes then get the values there are.
  void BeforeScrape(std::function<void()> refresh);
  // What /metrics answers with, in the Prometheus text format.
  std::string Text();

 private:
  struct Registry;
  const std::unique_ptr<Registry> registry_;
  absl::Mutex refresh_mutex_;
  std::vector<std::function<void()>> refreshers_ ABSL_GUARDED_BY(refresh_mutex_);
};

inline constexpr char kMetricsContentType[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace burnish::telemetry
