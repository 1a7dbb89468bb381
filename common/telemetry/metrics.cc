#include "common/telemetry/metrics.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "prometheus/counter.h"
#include "prometheus/family.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"

namespace burnish::telemetry {
namespace {

constexpr double kSeconds[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5,
                               1,     2,     5,     10,   20,   50,   100, 200, 500};

std::string ValueInSet(const MetricLabel& label, std::string_view value) {
  const bool known =
      label.values.empty() || std::any_of(label.values.begin(), label.values.end(),
                                          [&](const char* listed) { return value == listed; });
  return known ? std::string(value) : kOther;
}

template <typename Metric>
Metric& Series(prometheus::Family<Metric>& family, const MetricName& name,
               const prometheus::Labels& labels) {
  if constexpr (std::is_same_v<Metric, prometheus::Histogram>) {
    const std::span<const double> buckets = name.buckets.empty() ? kSeconds : name.buckets;
    return family.Add(labels,
                      prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end()));
  } else {
    return family.Add(labels);
  }
}

// Makes the series of every combination of listed values, from label `index` on.
template <typename Metric>
void AddAll(prometheus::Family<Metric>& family, const MetricName& name, size_t index,
            prometheus::Labels& labels) {
  if (index == name.label_count()) {
    Series(family, name, labels);
    return;
  }
  for (const char* value : name.labels[index].values) {
    labels[name.labels[index].name] = value;
    AddAll(family, name, index + 1, labels);
  }
}

template <typename Handle, typename Builder>
Family<Handle> Register(prometheus::Registry& registry, Builder builder, const MetricName& name) {
  auto& family = builder.Name(name.name).Help(name.help).Register(registry);
  prometheus::Labels labels;
  AddAll(family, name, 0, labels);
  return Family<Handle>(&family, &name);
}

}  // namespace

struct Metrics::Registry {
  prometheus::Registry registry;
};

void Counter::Add(double amount) const {
  if (metric_ != nullptr) metric_->Increment(amount);
}

void Gauge::Set(double value) const {
  if (metric_ != nullptr) metric_->Set(value);
}

void Gauge::Add(double amount) const {
  if (metric_ != nullptr) metric_->Increment(amount);
}

void Histogram::Observe(double value) const {
  if (metric_ != nullptr) metric_->Observe(value);
}

template <typename Handle>
Handle Family<Handle>::With(std::initializer_list<std::string_view> values) const {
  if (family_ == nullptr) return Handle();
  CHECK(values.size() == name_->label_count()) << name_->name;
  prometheus::Labels labels;
  const MetricLabel* label = name_->labels;
  for (const std::string_view value : values) {
    labels.emplace(label->name, ValueInSet(*label, value));
    ++label;
  }
  return Handle(&Series(*family_, *name_, labels));
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

Metrics::Metrics() : registry_(std::make_unique<Registry>()) {}

Metrics::~Metrics() = default;

Family<Counter> Metrics::Counters(const MetricName& name) {
  return Register<Counter>(registry_->registry, prometheus::BuildCounter(), name);
}

Family<Gauge> Metrics::Gauges(const MetricName& name) {
  return Register<Gauge>(registry_->registry, prometheus::BuildGauge(), name);
}

Family<Histogram> Metrics::Histograms(const MetricName& name) {
  return Register<Histogram>(registry_->registry, prometheus::BuildHistogram(), name);
}

void Metrics::BeforeScrape(std::function<void()> refresh) {
  absl::MutexLock lock(&refresh_mutex_);
  refreshers_.push_back(std::move(refresh));
}

std::string Metrics::Text() {
  if (refresh_mutex_.TryLock()) {
    for (const auto& refresh : refreshers_) refresh();
    refresh_mutex_.Unlock();
  }
  return prometheus::TextSerializer().Serialize(registry_->registry.Collect());
}

}  // namespace burnish::telemetry
