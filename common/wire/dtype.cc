#include "common/wire/dtype.h"

#include "common/wire/enum_table.h"

namespace burnish::wire {
namespace {

constexpr EnumTable<Dtype, pb::Dtype, 12> kDtypes = {{
    {Dtype::kF64, pb::DTYPE_F64},
    {Dtype::kF32, pb::DTYPE_F32},
    {Dtype::kF16, pb::DTYPE_F16},
    {Dtype::kI64, pb::DTYPE_I64},
    {Dtype::kI32, pb::DTYPE_I32},
    {Dtype::kI16, pb::DTYPE_I16},
    {Dtype::kI8, pb::DTYPE_I8},
    {Dtype::kU64, pb::DTYPE_U64},
    {Dtype::kU32, pb::DTYPE_U32},
    {Dtype::kU16, pb::DTYPE_U16},
    {Dtype::kU8, pb::DTYPE_U8},
    {Dtype::kBf16, pb::DTYPE_BF16},
}};

}  // namespace

pb::Dtype ToProto(Dtype dtype) { return WireEnum(kDtypes, dtype); }

absl::StatusOr<Dtype> FromProto(pb::Dtype dtype) { return DomainEnum(kDtypes, dtype, "dtype"); }

}  // namespace burnish::wire
