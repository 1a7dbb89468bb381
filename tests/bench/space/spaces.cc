#include "tests/bench/space/spaces.h"

#include "absl/strings/str_cat.h"

namespace burnish::bench {
namespace {

// Kernel Tuner's spaces for CUDA kernels of radio astronomy, super-resolution microscopy, the
// Rodinia suite and a weather model: F. J. Willemsen et al., "Efficient Construction of Large
// Search Spaces for Auto-Tuning", ICPP 2025, after searchspaces_provider.py of its repository.
constexpr char kDedispersion[] = R"(
  parameters:
    block_size_x: [1, 2, 4, 8, 16, 32]
    block_size_y: {range: [32, 256], step: 8}
    block_size_z: [1]
    tile_size_x: {range: [1, 4]}
    tile_size_y: {range: [1, 8]}
    tile_stride_x: [0, 1]
    tile_stride_y: [0, 1]
    loop_unroll_factor_channel: [0]
  constraints:
    - 32 <= block_size_x * block_size_y <= 1024
    - tile_size_x > 1 or tile_stride_x == 0
    - tile_size_y > 1 or tile_stride_y == 0
)";

// With the limit of 1024 threads per block.
constexpr char kExpdist[] = R"(
  parameters:
    block_size_x: [1024, 512, 256, 128, 64, 32]
    block_size_y: {powers_of_two: [1, 32]}
    tile_size_x: {range: [1, 8]}
    tile_size_y: {range: [1, 8]}
    use_shared_mem: [0, 1, 2]
    loop_unroll_factor_x: {range: [1, 8]}
    loop_unroll_factor_y: {range: [1, 8]}
    use_column: [0, 1]
    use_separate_acc: [0]
    n_y_blocks: {powers_of_two: [1, 1024]}
  constraints:
    - block_size_x * block_size_y <= 1024
    - use_column != 0 or n_y_blocks <= 1
    - use_column != 0 or use_shared_mem != 2
    - loop_unroll_factor_x <= tile_size_x and tile_size_x % loop_unroll_factor_x == 0
    - loop_unroll_factor_y <= tile_size_y and tile_size_y % loop_unroll_factor_y == 0
)";

constexpr char kMicrohh[] = R"(
  parameters:
    STATIC_STRIDES: [0]
    TILING_STRATEGY: [0]
    REWRITE_INTERP: [0]
    BLOCK_SIZE_X: [1, 2, 4, 8, 16, 32, 128, 256, 512, 1024]
    BLOCK_SIZE_Y: {powers_of_two: [1, 32]}
    BLOCK_SIZE_Z: [1, 2, 4]
    TILING_FACTOR_X: [1, 2, 4, 8]
    TILING_FACTOR_Y: [1, 2, 4]
    TILING_FACTOR_Z: [1, 2, 4]
    LOOP_UNROLL_FACTOR_X: [1, 2, 4, 8]
    LOOP_UNROLL_FACTOR_Y: [1, 2, 4]
    LOOP_UNROLL_FACTOR_Z: [1, 2, 4]
    BLOCKS_PER_MP: [0, 1, 2, 3, 4]
  constraints:
    - BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z * BLOCKS_PER_MP <= 1024
    - 32 <= BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z <= 1536
    - LOOP_UNROLL_FACTOR_X == 0 or TILING_FACTOR_X % LOOP_UNROLL_FACTOR_X == 0
    - LOOP_UNROLL_FACTOR_Y == 0 or TILING_FACTOR_Y % LOOP_UNROLL_FACTOR_Y == 0
    - LOOP_UNROLL_FACTOR_Z == 0 or TILING_FACTOR_Z % LOOP_UNROLL_FACTOR_Z == 0
    - BLOCK_SIZE_X * TILING_FACTOR_X > 0
    - BLOCK_SIZE_Y * TILING_FACTOR_Y > 0
    - BLOCK_SIZE_Z * TILING_FACTOR_Z > 0
)";

// With `constants: {LAST: …}` before it.
constexpr char kHotspot[] = R"(
  parameters:
    block_size_x: [1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416,
                   448, 480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800, 832, 864, 896, 928,
                   960, 992, 1024]
    block_size_y: {powers_of_two: [1, 32]}
    tile_size_x: {range: [1, LAST]}
    tile_size_y: {range: [1, LAST]}
    temporal_tiling_factor: {range: [1, LAST]}
    max_tfactor: {range: [LAST, LAST]}
    loop_unroll_factor_t: {range: [1, LAST]}
    sh_power: [0, 1]
    blocks_per_sm: [0, 1, 2, 3, 4]
  constraints:
    - block_size_x*block_size_y >= 32
    - temporal_tiling_factor % loop_unroll_factor_t == 0
    - block_size_x*block_size_y <= 1024
    - (block_size_x*tile_size_x + temporal_tiling_factor * 2) *
      (block_size_y*tile_size_y + temporal_tiling_factor * 2) * (2+sh_power) * 4 <= 49152
    - blocks_per_sm == 0 or (((block_size_x*tile_size_x + temporal_tiling_factor * 2) *
      (block_size_y*tile_size_y + temporal_tiling_factor * 2) * (2+sh_power) * 4) * blocks_per_sm <=
      102400)
)";

// CLBlast's matrix product (C. Nugteren, "CLBlast: A Tuned OpenCL BLAS Library", IWOCL 2018), as
// the auto-tuning community's benchmark hub has it (gemm_milo).
constexpr char kGemm[] = R"(
  parameters:
    GEMMK: [0]
    MWG: [16, 32, 64, 128]
    NWG: [16, 32, 64, 128]
    KWG: [16, 32]
    MDIMC: [8, 16, 32]
    NDIMC: [8, 16, 32]
    MDIMA: [8, 16, 32]
    NDIMB: [8, 16, 32]
    KWI: [2]
    VWM: [1, 2, 4, 8]
    VWN: [1, 2, 4, 8]
    STRM: [0, 1]
    STRN: [0, 1]
    SA: [0, 1]
    SB: [0, 1]
    KREG: [1]
    PRECISION: [32]
  constraints:
    - KWG % KWI == 0
    - MWG % (MDIMC * VWM) == 0
    - NWG % (NDIMC * VWN) == 0
    - MWG % (MDIMA * VWM) == 0
    - NWG % (NDIMB * VWN) == 0
    - KWG % ((MDIMC * NDIMC)/MDIMA) == 0
    - KWG % ((MDIMC * NDIMC)/NDIMB) == 0
    - not (MWG == 128 and NWG == 128 and MDIMC == 8 and NDIMC == 8)
)";

// The same with wide ranges and the limit of 1024 threads.
constexpr char kXgemm[] = R"(
  parameters:
    MWG: {powers_of_two: [16, 256]}
    NWG: {powers_of_two: [16, 256]}
    KWG: {powers_of_two: [16, 64]}
    MDIMC: {powers_of_two: [4, 64]}
    NDIMC: {powers_of_two: [4, 64]}
    MDIMA: {powers_of_two: [4, 64]}
    NDIMB: {powers_of_two: [4, 64]}
    KWI: [2, 4, 8]
    VWM: {powers_of_two: [1, 16]}
    VWN: {powers_of_two: [1, 16]}
    STRM: [0, 1]
    STRN: [0, 1]
    SA: [0, 1]
    SB: [0, 1]
  constraints:
    - KWG % KWI == 0
    - MWG % (MDIMC * VWM) == 0
    - NWG % (NDIMC * VWN) == 0
    - MWG % (MDIMA * VWM) == 0
    - NWG % (NDIMB * VWN) == 0
    - KWG % ((MDIMC * NDIMC)/MDIMA) == 0
    - KWG % ((MDIMC * NDIMC)/NDIMB) == 0
    - MDIMC * NDIMC <= 1024
)";

// Probabilistic record linkage, for inputs of 8 by 8: A. Rasch et al., "Efficient Auto-Tuning of
// Parallel Programs with Interdependent Tuning Parameters via Auto-Tuning Framework (ATF)", TACO
// 2021, after the sample in KTT's repository.
constexpr char kPrl[] = R"(
  constants: {SIZE: 8}
  parameters:
    CACHE_L_CB: [0, 1]
    CACHE_P_CB: [0, 1]
    G_CB_RES_DEST_LEVEL: [2]
    L_CB_RES_DEST_LEVEL: [2, 1, 0]
    P_CB_RES_DEST_LEVEL: [2, 1, 0]
    OCL_DIM_L_1: [0, 1]
    OCL_DIM_R_1: [0, 1]
    INPUT_SIZE_L_1: [8]
    L_CB_SIZE_L_1: {range: [1, SIZE]}
    P_CB_SIZE_L_1: {range: [1, SIZE]}
    NUM_WG_L_1: {range: [1, SIZE]}
    NUM_WI_L_1: {range: [1, SIZE]}
    INPUT_SIZE_R_1: [8]
    L_CB_SIZE_R_1: {range: [1, SIZE]}
    P_CB_SIZE_R_1: {range: [1, SIZE]}
    NUM_WG_R_1: {range: [1, SIZE]}
    NUM_WI_R_1: {range: [1, SIZE]}
    L_REDUCTION: [1]
    P_WRITE_BACK: [0]
    L_WRITE_BACK: [1]
  constraints:
    - G_CB_RES_DEST_LEVEL >= L_CB_RES_DEST_LEVEL >= P_CB_RES_DEST_LEVEL
    - OCL_DIM_L_1 != OCL_DIM_R_1
    - INPUT_SIZE_L_1 % L_CB_SIZE_L_1 == 0
    - L_CB_SIZE_L_1 % P_CB_SIZE_L_1 == 0
    - INPUT_SIZE_L_1 // L_CB_SIZE_L_1 % NUM_WG_L_1 == 0
    - L_CB_SIZE_L_1 // P_CB_SIZE_L_1 % NUM_WI_L_1 == 0
    - NUM_WI_L_1 <= ceil_div(INPUT_SIZE_L_1, NUM_WG_L_1)
    - INPUT_SIZE_R_1 % L_CB_SIZE_R_1 == 0
    - L_CB_SIZE_R_1 % P_CB_SIZE_R_1 == 0
    - INPUT_SIZE_R_1 // L_CB_SIZE_R_1 % NUM_WG_R_1 == 0
    - L_CB_SIZE_R_1 // P_CB_SIZE_R_1 % NUM_WI_R_1 == 0
    - NUM_WI_R_1 <= ceil_div(INPUT_SIZE_R_1, NUM_WG_R_1)
    - NUM_WG_R_1 == 1 or NUM_WG_R_1 % L_CB_SIZE_R_1 == 0
)";

// All tiles of a blocked convolution whose sizes divide each other, within a cache.
constexpr char kLazy[] = R"(
  parameters:
    A: {range: [1, 64]}
    B: {range: [1, 64]}
    C: {range: [1, 64]}
    D: {range: [1, 64]}
    E: {range: [1, 64]}
    F: {range: [1, 64]}
  constraints:
    - A * B * C <= 4096
    - C * D * E <= 4096
    - E * F * A <= 4096
    - (A + B + C + D + E + F) % 3 == 0
)";

// At most max(5 ms, 3 x what a sketch of predicates in C++ takes).
constexpr double kShort = 0.005;

}  // namespace

const std::vector<KnownSpace>& KnownSpaces() {
  static const auto& spaces = *new std::vector<KnownSpace>{
      {"dedispersion", "22272", 11'130, kShort, kDedispersion},
      {"expdist", "9732096", 294'000, kShort, kExpdist},
      {"gemm", "663552", 116'928, kShort, kGemm},
      {"microhh", "1166400", 138'600, kShort, kMicrohh},
      {"PRL 8x8", "2415919104", 48'720, kShort, kPrl},
      {"hotspot", "22200000", 349'853, 0.168, absl::StrCat("  constants: {LAST: 10}", kHotspot)},
      {"hotspot 1..20", "355200000", 809'051, 0.435,
       absl::StrCat("  constants: {LAST: 20}", kHotspot)},
      {"xgemm wide", "56250000", 7'792'752, 0.237, kXgemm},
  };
  return spaces;
}

std::string_view LazyDeclaration() { return kLazy; }

std::string JobText(std::string_view declaration) {
  return absl::StrCat(
      "name: space\nkernel:\n  language: cpp\n  source: {file: kernel.cc}\n  entry: kernel\n"
      "  arguments: [{name: a, dtype: f32, shape: [8], role: output}]\n  reference: none\n",
      std::string(declaration));
}

}  // namespace burnish::bench
