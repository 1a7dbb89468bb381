#include "server/templates/cpu_tile.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "server/templates/contraction.h"
#include "server/templates/cpu_choices.h"
#include "server/templates/cpu_source.h"
#include "server/templates/parameters.h"

namespace burnish::templates {
namespace {

constexpr char kLoops[] =
#include "server/templates/cpu_tile.cpp.inc"
    ;

// Independent sums that keep the multiply-add units busy: latency 4, two units.
constexpr int64_t kSumsInFlight = 8;
constexpr int64_t kTallestTile = 28;
constexpr int64_t kVectorsOfOneRow = 4;
constexpr int64_t kBlockRows = 96;  // of a, that always fit a cache with some hundreds of k
constexpr int64_t kFallbackL2Bytes = 256 << 10;
constexpr int64_t kPackedRowBytes = 4096;  // rows of b from which copying panels pays

class TileSpace {
 public:
  TileSpace(const CpuProblem& problem, const Target& target)
      : target_(target),
        op_(problem.op),
        x_(problem.contraction),
        types_(problem.types),
        m_(x_.m.extent),
        n_(x_.n.extent),
        k_(x_.k.extent),
        batches_(x_.BatchCount()),
        lanes_(target.VectorBytes() / types_.SumBytes()),
        l2_bytes_(target.l2_bytes > 0 ? target.l2_bytes : kFallbackL2Bytes),
        constant_a_(op_.tensors[x_.operands[Contraction::kA].tensor].constant),
        constant_b_(op_.tensors[x_.operands[Contraction::kB].tensor].constant),
        must_pack_a_(types_.Group() > 1 && k_ > 1 && x_.k.strides[Contraction::kA] != 1),
        must_pack_b_(constant_b_ || types_.Group() > 1 ||
                     (n_ > 1 && x_.n.strides[Contraction::kB] != 1)) {}

  Variant Make() {
    AddTiles();
    AddBlocks();
    AddPacking();
    AddLoops();
    AddThreads();
    AddEpilogue();
    return std::move(list_).Take();
  }

  // Over all configurations; what the source calls kPanelsBytes, kTilesBytes and kPartialBytes.
  int64_t WorkspaceBytes() const {
    const int64_t groups = CeilDiv(k_, types_.Group());
    int64_t depth = 0;  // rows of a packed panel, with one of column sums in each block of k
    for (const int64_t block : block_k_) {
      const int64_t block_depth = CeilDiv(block, types_.Group());
      depth = std::max(depth, CeilDiv(groups, block_depth) * (block_depth + 1));
    }
    const int64_t width = TileVectors().back() * lanes_;  // of the widest panel
    const int64_t columns = RoundUp(n_, width) + width;
    const int64_t copies_b = constant_b_              ? x_.BatchCountOf(Contraction::kB)
                             : batches_ > 1           ? Threads()
                             : must_pack_b_ || m_ > 4 ? LargestSplit()
                                                      : 0;
    const int64_t b = (copies_b * columns + (constant_b_ ? 0 : Threads() * width)) * depth;
    const int64_t rows = m_ + kTallestTile;
    const int64_t block = std::min(rows, kBlockRows + kTallestTile) * depth;
    const int64_t a =
        constant_a_ ? x_.BatchCountOf(Contraction::kA) * rows * depth
                    : Threads() * std::min(rows * depth, block + l2_bytes_ / types_.SumBytes());
    const int64_t partials = LargestSplit() > 1 ? LargestSplit() * m_ * n_ : 0;
    return (a + b + partials) * types_.SumBytes() + 4096;
  }

 private:
  struct TileShape {
    int64_t rows;
    int64_t vectors;
  };

  int64_t Threads() const { return std::max<int64_t>(target_.cores, 1); }

  bool Fits(const TileShape& tile) const {
    return tile.rows * tile.vectors + tile.vectors + 1 <= target_.Registers();
  }
  std::vector<int64_t> TileRows() const {
    std::vector<int64_t> rows =
        UpTo(std::min(m_, kTallestTile), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 24});
    std::ranges::sort(rows);
    return rows;
  }
  std::vector<int64_t> TileVectors() const {
    std::vector<int64_t> vectors;
    for (const int64_t count : {1, 2, 3, 4, 6, 8, 12}) {
      if ((count - 1) * lanes_ < n_) vectors.push_back(count);
    }
    return vectors;
  }

  // Cycles for one step of k over all tiles, as a simple model has them: multiply-adds, at least
  // their latency's worth in a tile; loads, two of which go with one multiply-add. Those of b are
  // dearer, as they come from further away.
  double CyclesPerStep(const TileShape& tile) const {
    const int64_t height = CeilDiv(m_, CeilDiv(m_, tile.rows));
    const auto cycles = [&](int64_t rows, int64_t width) {
      const int64_t vectors = CeilDiv(width, lanes_);
      const auto loads = static_cast<double>(rows + vectors);
      return std::max({static_cast<double>(rows * vectors), 1.0 * kSumsInFlight, 0.9 * loads}) +
             0.02 * static_cast<double>(rows + 2 * vectors);
    };
    const int64_t width = tile.vectors * lanes_;
    const int64_t whole_rows = (m_ - 1) / height, whole_panels = (n_ - 1) / width;
    const int64_t rows_left = m_ - whole_rows * height, width_left = n_ - whole_panels * width;
    return static_cast<double>(whole_rows) *
               (static_cast<double>(whole_panels) * cycles(height, width) +
                cycles(height, width_left)) +
           static_cast<double>(whole_panels) * cycles(rows_left, width) +
           cycles(rows_left, width_left);
  }

  TileShape BestTile() const {
    TileShape best{1, 1};
    double least = std::numeric_limits<double>::infinity();
    for (const int64_t rows : TileRows()) {
      for (const int64_t vectors : TileVectors()) {
        const TileShape tile{rows, vectors};
        if (!Fits(tile)) continue;
        // One row is as fast as b arrives, which is in order best.
        if (m_ == 1 && vectors > kVectorsOfOneRow) continue;
        if (const double cycles = CyclesPerStep(tile); cycles < least) {
          least = cycles;
          best = tile;
        }
      }
    }
    return best;
  }

  // Eight rows by three vectors, or what of it there is room for.
  TileShape TextbookTile() const {
    const std::vector<int64_t> vectors = TileVectors();
    TileShape tile{std::min<int64_t>(m_, target_.Registers() == 32 ? 8 : 4),
                   std::min<int64_t>(3, vectors.back())};
    return tile;
  }

  void AddTiles() {
    tile_ = BestTile();
    const TileShape textbook = TextbookTile();
    list_.Add("TILE_M", TileRows(), tile_.rows, textbook.rows);
    list_.Add("TILE_N", TileVectors(), tile_.vectors, textbook.vectors);
    list_.Add("VECTOR", VectorLanes(target_, types_), lanes_, lanes_);
    list_.Constrain(absl::StrCat("TILE_M * TILE_N + TILE_N + 1 <= ", target_.Registers()));
    int64_t most = 1;
    for (const int64_t rows : TileRows()) {
      for (const int64_t vectors : TileVectors()) {
        if (Fits({rows, vectors})) most = std::max(most, rows * vectors);
      }
    }
    const int64_t least = std::min(
        {most, kSumsInFlight, tile_.rows * tile_.vectors, textbook.rows * textbook.vectors});
    if (least > 1) list_.Constrain(absl::StrCat("TILE_M * TILE_N >= ", least));
  }

  int64_t LargestSplit() const {
    const bool small = m_ * n_ <= 128 * 128 && k_ >= 1024;
    return small && Threads() > 1 ? std::min<int64_t>(Threads(), 8) : 1;
  }

  // Bytes of `lanes` lanes of b: grouped elements fill a lane.
  std::string PanelBytes() const {
    return absl::StrCat("BLOCK_K * TILE_N * VECTOR * ", DtypeBytes(types_.b));
  }

  void AddBlocks() {
    std::vector<int64_t> block_k = {k_};
    // Without sums in c there is no place for them between blocks.
    if (types_.OutputIsSum()) block_k = UpTo(k_, {128, 256, 384, 768});
    for (int64_t split = 2; split <= LargestSplit(); split *= 2) {
      block_k.push_back(RoundUp(CeilDiv(k_, split), 16));
    }
    const int64_t panel_bytes = tile_.vectors * lanes_ * static_cast<int64_t>(DtypeBytes(types_.b));
    const bool whole =
        k_ * panel_bytes <= l2_bytes_ / 2 || m_ <= tile_.rows || !types_.OutputIsSum() || k_ <= 384;
    block_k_ = block_k;
    list_.Add("BLOCK_K", block_k, whole ? k_ : 384, types_.OutputIsSum() && k_ > 256 ? 256 : k_);
    list_.Add("BLOCK_N", UpTo(n_, {256, 1024}), n_, n_);
    list_.Add("BLOCK_M", UpTo(m_, {kBlockRows, 384}), must_pack_a_ ? std::min(m_, kBlockRows) : m_,
              std::min(m_, kBlockRows));
    if (types_.OutputIsSum() && k_ > 384) {
      // A panel of b stays in half of the second-level cache, or there is one pass over it anyway.
      list_.Constrain(absl::StrCat("BLOCK_K <= 384 or TILE_M >= ", m_, " or ", PanelBytes(),
                                   " <= ", l2_bytes_ / 2));
    }
  }

  void AddPacking() {
    const auto choice = [](bool must, bool may) -> std::vector<int64_t> {
      if (must) return {1};
      return may ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{0};
    };
    const bool several_tiles = m_ > 4;
    list_.Add("PACK_A", choice(must_pack_a_, n_ > lanes_), must_pack_a_,
              must_pack_a_ || n_ > lanes_);
    const bool wide = n_ * static_cast<int64_t>(DtypeBytes(types_.b)) >= kPackedRowBytes;
    const bool pays = wide && m_ > 4 * tile_.rows;
    list_.Add("PACK_B", choice(must_pack_b_, several_tiles), must_pack_b_ || pays,
              must_pack_b_ || several_tiles);
    packed_b_ = must_pack_b_ || pays;
    if (!constant_a_ && m_ > kBlockRows) {
      list_.Constrain(absl::StrCat("PACK_A == 0 or BLOCK_M <= ", kBlockRows,
                                   " or BLOCK_K * BLOCK_M * ", DtypeBytes(types_.a),
                                   " <= ", l2_bytes_ / 2));
    }
  }

  void AddLoops() {
    const double b_bytes = static_cast<double>(k_ * n_) * static_cast<double>(DtypeBytes(types_.b));
    const bool stream = packed_b_ && b_bytes > static_cast<double>(l2_bytes_);
    list_.AddWords("ORDER", {"panels_outer", "tiles_outer"}, "panels_outer", "panels_outer");
    // Where each row of b is used once or twice, and where k is short.
    const int64_t unroll = m_ == 1 ? 4 : m_ <= 16 || k_ <= 128 ? 2 : 1;
    list_.Add("UNROLL", kUnrolls, unroll, 1);
    list_.Add("PREFETCH", kPrefetches, m_ <= 16 && m_ > 1 ? 32 : 0, 0);
    list_.Add("PREFETCH_PANEL", {0, 1}, stream && m_ > 16 ? 1 : 0, 0);
    list_.Constrain("PREFETCH_PANEL == 0 or (PACK_B == 1 and ORDER == 'panels_outer')");
    list_.Constrain(absl::StrCat("ORDER == 'panels_outer' or (TILE_M < ", m_,
                                 " and TILE_N * VECTOR < ", n_, ")"));
    list_.Add("BALANCE", {1, 0}, 1, 1);
    list_.Constrain(absl::StrCat("BALANCE == 1 or ", m_, " % TILE_M != 0"));
  }

  void AddThreads() {
    const int64_t good = op::Flops(op_) >= kFlopsWorthThreads ? Threads() : 1;
    list_.Add("THREADS", ThreadCounts(target_), good, good);
    const std::string by = good == 1                                ? "columns"
                           : batches_ >= good                       ? "batches"
                           : m_ <= 4 * tile_.rows * good && n_ > 64 ? "columns"
                                                                    : "rows";
    list_.AddWords("DIVIDE", Divisions(batches_), by, by);
    list_.Constrain("THREADS > 1 or DIVIDE == 'columns'");
    std::vector<int64_t> splits = {1};
    for (int64_t split = 2; split <= LargestSplit(); split *= 2) splits.push_back(split);
    list_.Add("SPLIT_K", splits, 1, 1);
    if (splits.size() == 1) return;
    list_.Constrain(absl::StrCat("SPLIT_K == 1 or (THREADS % SPLIT_K == 0 and DIVIDE != 'batches' ",
                                 "and SPLIT_K <= ceil_div(", k_, ", BLOCK_K))"));
    if (!types_.OutputIsSum()) {
      list_.Constrain(absl::StrCat("BLOCK_K >= ", k_, " or SPLIT_K > 1"));
    }
    // Threads that pack together wait for each other, as often as each other.
    if (!constant_b_) list_.Constrain("SPLIT_K == 1 or DIVIDE == 'columns' or PACK_B == 0");
  }

  void AddEpilogue() {
    std::vector<std::string> places = {"fused"};
    if (!op_.epilogue.empty() && types_.OutputIsSum()) places.push_back("separate");
    list_.AddWords("EPILOGUE", places, "fused", "fused");
    if (places.size() > 1) list_.Constrain("EPILOGUE == 'fused' or SPLIT_K == 1");
  }

  const Target& target_;
  const op::Operator& op_;
  const Contraction& x_;
  const ElementTypes& types_;
  const int64_t m_, n_, k_, batches_;
  const int64_t lanes_;  // of the widest vectors
  const int64_t l2_bytes_;
  const bool constant_a_, constant_b_;
  const bool must_pack_a_, must_pack_b_;
  ParameterList list_;
  std::vector<int64_t> block_k_;
  TileShape tile_{1, 1};
  bool packed_b_ = false;
};

}  // namespace

absl::StatusOr<Variant> CpuTileTemplate::Make(const op::Operator& op, const Target& target) const {
  ASSIGN_OR_RETURN(const CpuProblem problem, AsCpuProblem(op));
  TileSpace space(problem, target);
  Variant variant = space.Make();
  variant.workspace_bytes = space.WorkspaceBytes();
  AddSource(*this, problem, kLoops, variant);
  return variant;
}

}  // namespace burnish::templates
