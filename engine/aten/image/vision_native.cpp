// The operators of vision_ops.py natively, for contiguous floats and doubles. Suppression is the
// body's bit by bit; the points of a part of an image are added up in another order.
#include <algorithm>
#include <cmath>

#include "engine/ops/call.h"
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

bool is_plain(const Tensor& t) {
  return (t.dtype() == DType::F32 || t.dtype() == DType::F64) && t.is_contiguous();
}

// The indices of boxes that no better one before them overlaps by more than `most`, best first.
template <class T>
std::vector<int64_t> surviving_boxes(const T* dets, const int64_t* order, int64_t n, double most) {
  struct Box {
    T x1, y1, x2, y2, area;
  };
  std::vector<Box> boxes(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const T* b = dets + 4 * order[i];
    boxes[static_cast<size_t>(i)] = {b[0], b[1], b[2], b[3], (b[2] - b[0]) * (b[3] - b[1])};
  }
  std::vector<uint8_t> suppressed(static_cast<size_t>(n));
  std::vector<int64_t> kept;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (suppressed[i]) continue;
    kept.push_back(order[i]);
    const Box& a = boxes[i];
    for (size_t j = i + 1; j < boxes.size(); ++j) {
      const Box& b = boxes[j];
      T width = std::max(T(0), std::min(a.x2, b.x2) - std::max(a.x1, b.x1));
      T height = std::max(T(0), std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
      T shared = width * height;
      T overlap = shared / (a.area + b.area - shared);
      suppressed[j] |= static_cast<double>(overlap) > most;
    }
  }
  return kept;
}

// dets, scores, iou_threshold
bool run_nms(Values args, std::vector<IValue>& results) {
  Tensor dets = args[0].as_tensor(), scores = args[1].as_tensor();
  if (!is_plain(dets) || scores.dtype() != dets.dtype() || dets.rank() != 2 || scores.rank() != 1)
    return false;
  const int64_t n = dets.sizes()[0];
  if (dets.sizes()[1] != 4 || scores.sizes()[0] != n) return false;
  static const Operator& sort = operator_named("aten::sort.stable");
  std::vector<IValue> sorted;
  const std::vector<IValue> asked{scores, true, int64_t{0}, true};
  call(sort, Site{}, asked, sorted);
  const Tensor order = contiguous(sorted[1].as_tensor());
  const double most = args[2].as_double();
  const int64_t* indices = order.data<int64_t>();
  std::vector<int64_t> kept = dets.dtype() == DType::F32
                                  ? surviving_boxes(dets.data<float>(), indices, n, most)
                                  : surviving_boxes(dets.data<double>(), indices, n, most);
  Tensor out = Tensor::empty(Dims{static_cast<int64_t>(kept.size())}, DType::I64);
  std::copy(kept.begin(), kept.end(), out.data<int64_t>());
  results.emplace_back(out);
  return true;
}

// ---------------------------------------------------------------------------- parts of images

// What is asked of each box: `height` x `width` results, with `ratio` points a side each, or as
// many as pixels where it is not positive.
struct Grid {
  int64_t height, width, ratio;
  bool aligned;
  double scale;
};

// The neighbours of one coordinate and how much it is of the second one.
template <class T>
struct Between {
  int64_t low = 0, high = 0;
  T share = 0;
  bool inside = false;
};

template <class T>
std::vector<Between<T>> find_neighbours(T start, T step, int64_t count, int64_t each,
                                        int64_t size) {
  std::vector<Between<T>> out;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < each; ++k) {
      T at = (start + static_cast<T>(i) * step) +
             (static_cast<T>(k) + T(0.5)) * step / static_cast<T>(each);
      Between<T>& b = out.emplace_back();
      b.inside = !(at < -1 || at > static_cast<T>(size));
      at = std::clamp(at, T(0), static_cast<T>(size - 1));
      b.low = static_cast<int64_t>(at);
      b.high = std::min(b.low + 1, size - 1);
      b.share = at - static_cast<T>(b.low);
    }
  }
  return out;
}

// A point between four pixels of a plane; all weights are 0 outside.
template <class T>
struct Point {
  int64_t at[4] = {};
  T weight[4] = {};
};

// The points of each result in turn.
template <class T>
std::vector<Point<T>> points_of(const std::vector<Between<T>>& ys,
                                const std::vector<Between<T>>& xs, int64_t rows, int64_t columns,
                                int64_t line) {
  std::vector<Point<T>> out;
  for (size_t top = 0; top < ys.size(); top += static_cast<size_t>(rows)) {
    for (size_t left = 0; left < xs.size(); left += static_cast<size_t>(columns)) {
      for (size_t k = 0; k < static_cast<size_t>(rows * columns); ++k) {
        const Between<T>& y = ys[top + k / static_cast<size_t>(columns)];
        const Between<T>& x = xs[left + k % static_cast<size_t>(columns)];
        Point<T>& p = out.emplace_back();
        if (!y.inside || !x.inside) continue;
        T up = 1 - y.share, before = 1 - x.share;
        p = {{y.low * line + x.low, y.low * line + x.high, y.high * line + x.low,
              y.high * line + x.high},
             {up * before, up * x.share, y.share * before, y.share * x.share}};
      }
    }
  }
  return out;
}

constexpr double kMostPoints = 1 << 22;

// One box, x1 y1 x2 y2, of an image's planes [channels, size]; false where its points cannot be
// counted or are too many.
template <class T>
bool align(const Grid& g, const T* box, const T* planes, const Dims& sizes, T* out) {
  const T scale = static_cast<T>(g.scale), offset = g.aligned ? T(0.5) : T(0);
  T corner[4];
  for (int i = 0; i < 4; ++i) corner[i] = box[i] * scale - offset;
  T x_side = corner[2] - corner[0], y_side = corner[3] - corner[1];
  if (!g.aligned) x_side = std::max(x_side, T(1)), y_side = std::max(y_side, T(1));
  T x_step = x_side / static_cast<T>(g.width), y_step = y_side / static_cast<T>(g.height);
  const T asked = static_cast<T>(g.ratio);
  const T rows = g.ratio > 0 ? asked : std::ceil(y_step);
  const T columns = g.ratio > 0 ? asked : std::ceil(x_step);
  const int64_t results = g.height * g.width;
  const double points = double(rows) * double(columns) * double(results);
  const bool placed = std::isfinite(corner[0]) && std::isfinite(corner[1]) &&
                      std::isfinite(x_step) && std::isfinite(y_step);
  if (!placed || std::fabs(points) > kMostPoints) return false;
  if (rows <= 0 || columns <= 0) {
    std::fill_n(out, sizes[1] * results, T(0));
    return true;
  }
  const int64_t each[2] = {static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
  const std::vector<Point<T>> all = points_of(
      find_neighbours(corner[1], y_step, g.height, each[0], sizes[2]),
      find_neighbours(corner[0], x_step, g.width, each[1], sizes[3]), each[0], each[1], sizes[3]);
  const T count = static_cast<T>(each[0] * each[1]);
  for (int64_t c = 0; c < sizes[1]; ++c, planes += sizes[2] * sizes[3]) {
    const Point<T>* p = all.data();
    for (int64_t i = 0; i < results; ++i) {
      T sum = 0;
      for (int64_t k = 0; k < each[0] * each[1]; ++k, ++p) {
        sum += p->weight[0] * planes[p->at[0]] + p->weight[1] * planes[p->at[1]] +
               p->weight[2] * planes[p->at[2]] + p->weight[3] * planes[p->at[3]];
      }
      *out++ = sum / count;
    }
  }
  return true;
}

template <class T>
bool align_all(const Grid& g, const Tensor& input, const Tensor& rois, const Tensor& out) {
  const Dims& sizes = input.sizes();
  const int64_t image = sizes[1] * sizes[2] * sizes[3], part = sizes[1] * g.height * g.width;
  for (int64_t k = 0; k < rois.sizes()[0]; ++k) {
    const T* roi = rois.data<T>() + 5 * k;
    if (!(roi[0] > -1 && roi[0] < static_cast<T>(sizes[0]))) return false;
    const T* planes = input.data<T>() + static_cast<int64_t>(roi[0]) * image;
    if (!align(g, roi + 1, planes, sizes, out.data<T>() + k * part)) return false;
  }
  return true;
}

// input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned
bool run_roi_align(Values args, std::vector<IValue>& results) {
  Tensor input = args[0].as_tensor(), rois = args[1].as_tensor();
  if (!is_plain(input) || !is_plain(rois) || rois.dtype() != input.dtype()) return false;
  if (input.rank() != 4 || rois.rank() != 2 || rois.sizes()[1] != 5) return false;
  const Grid g{args[3].as_int(), args[4].as_int(), args[5].as_int(), args[6].as_bool(),
               args[2].as_double()};
  constexpr int64_t kMost = 1 << 20;
  if (input.numel() == 0 || g.height < 1 || g.width < 1 || g.height > kMost || g.width > kMost)
    return false;
  Tensor out =
      Tensor::empty(Dims{rois.sizes()[0], input.sizes()[1], g.height, g.width}, input.dtype());
  bool good = input.dtype() == DType::F32 ? align_all<float>(g, input, rois, out)
                                          : align_all<double>(g, input, rois, out);
  if (good) results.emplace_back(out);
  return good;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"torchvision::nms", &run_nms});
  add_native({"torchvision::roi_align", &run_roi_align});
  return true;
}();

}  // namespace
}  // namespace fusillade
