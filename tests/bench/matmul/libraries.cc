#include "tests/bench/matmul/libraries.h"

#include <cblas.h>

#include <memory>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace burnish::bench {
namespace {

using dnnl::memory;

memory::data_type TypeOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return memory::data_type::f32;
    case Dtype::kBf16:
      return memory::data_type::bf16;
    case Dtype::kU8:
      return memory::data_type::u8;
    case Dtype::kI8:
      return memory::data_type::s8;
    case Dtype::kI32:
      return memory::data_type::s32;
    default:
      return memory::data_type::undef;
  }
}

// A product with everything that it refers to.
struct Primitive {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul matmul;
  Memory packed{nullptr, [](std::byte*) {}};
  std::unordered_map<int, memory> arguments;
};

dnnl::primitive_attr AttributesOf(const Instance& instance) {
  dnnl::post_ops steps;
  if (instance.Has("relu")) steps.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  if (instance.Has("gelu")) steps.append_eltwise(1, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(steps);
  return attributes;
}

std::shared_ptr<Primitive> MakePrimitive(const Instance& instance, bool pack) {
  const Problem& problem = instance.problem();
  auto one = std::make_shared<Primitive>();
  const auto rows = memory::format_tag::ab;
  const memory::desc a({problem.m, problem.k}, TypeOf(problem.a), rows);
  const memory::desc b({problem.k, problem.n}, TypeOf(problem.b), rows);
  const memory::desc any(b.dims(), b.data_type(), memory::format_tag::any);
  const memory::desc bias({1, problem.n}, TypeOf(problem.output), rows);
  const memory::desc c({problem.m, problem.n}, TypeOf(problem.output), rows);
  const memory::desc& weights = pack ? any : b;
  const dnnl::matmul::desc description = instance.Has("bias")
                                             ? dnnl::matmul::desc(a, weights, bias, c)
                                             : dnnl::matmul::desc(a, weights, c);
  const dnnl::matmul::primitive_desc chosen(description, AttributesOf(instance), one->engine);
  one->matmul = dnnl::matmul(chosen);
  memory from(b, one->engine, instance.b());
  memory packed = from;
  if (chosen.weights_desc() != b) {
    one->packed = Allocate(chosen.weights_desc().get_size());
    packed = memory(chosen.weights_desc(), one->engine, one->packed.get());
    dnnl::reorder(from, packed).execute(one->stream, from, packed);
    one->stream.wait();
  }
  one->arguments = {{DNNL_ARG_SRC, memory(a, one->engine, instance.a())},
                    {DNNL_ARG_WEIGHTS, packed},
                    {DNNL_ARG_DST, memory(c, one->engine, instance.output())}};
  if (instance.Has("bias")) {
    one->arguments.insert({DNNL_ARG_BIAS, memory(bias, one->engine, instance.bias())});
  }
  return one;
}

Contender OneDnnMatmul(const Instance& instance, bool pack) {
  return FromFunction(pack ? "oneDNN" : "oneDNN rows", [one = MakePrimitive(instance, pack)] {
    one->matmul.execute(one->stream, one->arguments);
    one->stream.wait();
  });
}

void AddOneDnnSgemm(const Instance& instance, const std::function<void()>& epilogue,
                    std::vector<Contender>& contenders) {
  const Problem& p = instance.problem();
  const auto* a = static_cast<const float*>(instance.a());
  const auto* b = static_cast<const float*>(instance.b());
  auto* c = static_cast<float*>(instance.output());
  contenders.push_back(FromFunction("oneDNN sgemm", [=] {
    dnnl_sgemm('N', 'N', p.m, p.n, p.k, 1, a, p.k, b, p.n, 0, c, p.n);
    if (epilogue) epilogue();
  }));
}

void AddOpenBlas(const Instance& instance, const std::function<void()>& epilogue,
                 std::vector<Contender>& contenders) {
  const auto m = static_cast<blasint>(instance.problem().m);
  const auto n = static_cast<blasint>(instance.problem().n);
  const auto k = static_cast<blasint>(instance.problem().k);
  const auto* a = static_cast<const float*>(instance.a());
  const auto* b = static_cast<const float*>(instance.b());
  auto* c = static_cast<float*>(instance.output());
  const std::function<void()> gemm = [=] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
  };
  const std::function<void()> gemv = [=] {
    cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, b, n, a, 1, 0, c, 1);
  };
  const auto add = [&](const char* name, const std::function<void()>& product) {
    if (!epilogue) {
      contenders.push_back(FromFunction(name, product));
      return;
    }
    contenders.push_back(FromFunction(name, [=] {
      product();
      epilogue();
    }));
    contenders.push_back(FromFunction(absl::StrCat(name, " product only"), product));
    contenders.back().whole = false;
  };
  add("OpenBLAS", gemm);
  if (m == 1) add("OpenBLAS gemv", gemv);
}

}  // namespace

absl::StatusOr<std::vector<Contender>> LibraryContenders(const Instance& instance,
                                                         const std::function<void()>& epilogue) {
  std::vector<Contender> contenders;
  try {
    contenders.push_back(OneDnnMatmul(instance, instance.problem().constant));
    if (instance.problem().constant) {
      contenders.push_back(OneDnnMatmul(instance, /*pack=*/false));
    }
    if (instance.problem().a == Dtype::kF32) AddOneDnnSgemm(instance, epilogue, contenders);
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(absl::StrCat("oneDNN: ", error.what()));
  }
  if (instance.problem().a == Dtype::kF32) AddOpenBlas(instance, epilogue, contenders);
  for (const Contender& contender : contenders) {
    if (!contender.whole) continue;
    const absl::Status right = instance.Check([&] { return contender.run(1).status(); });
    if (!right.ok()) {
      return absl::InternalError(absl::StrCat(contender.name, ": ", std::string(right.message())));
    }
  }
  return contenders;
}

std::vector<std::pair<std::string, std::string>> LibraryVersions() {
  const dnnl_version_t& version = *dnnl_version();
  return {
      {"openblas", absl::StrCat(openblas_get_config(), ", kernels for ", openblas_get_corename())},
      {"onednn",
       absl::StrCat(version.major, ".", version.minor, ".", version.patch, ", instruction set ",
                    static_cast<int>(dnnl::get_effective_cpu_isa()))}};
}

}  // namespace burnish::bench
