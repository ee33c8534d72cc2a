#include "plan/publications.h"

#include <array>

namespace normbench {
namespace {

constexpr std::string_view kNoFigure = "no figure was published";
constexpr std::string_view kPipelines = "pipelines are not built yet";
constexpr std::string_view kGroupNorm = "group norm is not built yet";
constexpr std::string_view kDatasets = "datasets are not built yet";

}  // namespace

std::string_view origin_of(Publication publication) {
  switch (publication) {
    case Publication::Blog:
      return "post on GPU normalisation, 2024-12";
    case Publication::Pix2pix:
      return "write-up of pix2pix with TensorRT";
    case Publication::Torchvision:
      return "pytorch/vision#8565 and an article on it";
    case Publication::GroupNorm:
      return "pytorch/pytorch#28201, #28203, #28204";
    case Publication::Slides:
      return "slides on fast input pipelines, RTX 3090";
  }
  return "";
}

std::span<const PublishedExperiment> published_experiments() {
  using enum Publication;
  static constexpr auto kAll = std::to_array<PublishedExperiment>({
      {"A1", Blog, "uint8 on the CPU: cast, sub, div"},
      {"A2", Blog, "float32 on the CPU: sub, div"},
      {"A3", Blog, "float32 on the CPU: torchvision's Normalize"},
      {"A4", Blog, "float32 that lies on the GPU: sub, div"},
      {"A5", Blog, "send float32, then sub, div on the GPU"},
      {"A6", Blog, "send uint8, then cast, sub, div on the GPU"},
      {"A7", Blog, "A5 and A6 by the wall clock"},
      {"A8", Blog, "serving a few images, or training on many", kNoFigure},
      {"B1", Pix2pix, "names of stages in a timeline", kNoFigure},
      {"B2", Pix2pix, "load, infer, save of one image after the other", kPipelines},
      {"B3", Pix2pix, "50 images with and without saving", kPipelines},
      {"B4", Pix2pix, "saving on a stream of its own", kPipelines},
      {"B5", Pix2pix, "copy in, compute and copy out at once", kNoFigure},
      {"B6", Pix2pix, "larger batches for TensorRT", kNoFigure},
      {"B7", Pix2pix, "a thread for each image", kPipelines},
      {"B8", Pix2pix, "no synchronisation after each image"},
      {"B9", Pix2pix, "pin explicitly, or let the copy stage"},
      {"B10", Pix2pix, "load the next image during inference", kPipelines},
      {"B11", Pix2pix, "B10 with CV-CUDA before it", kPipelines},
      {"B12", Pix2pix, "fused operators, both crops in one batch", kNoFigure},
      {"C1", Torchvision, "constants cached or not, one small image on the CPU"},
      {"C2", Torchvision, "constants cached or not, 1024 images on the CPU"},
      {"C3", Torchvision, "constants cached or not, one small image on the GPU"},
      {"C4", Torchvision, "constants cached or not, a large batch on the GPU"},
      {"C5", Torchvision, "C2 over threads"},
      {"D1", GroupNorm, "forward on the CPU as reshape, batch_norm, addcmul", kGroupNorm},
      {"D2", GroupNorm, "backward on the CPU", kGroupNorm},
      {"D3", GroupNorm, "forward on the GPU, before and after fusing", kGroupNorm},
      {"D4", GroupNorm, "backward on the GPU, before and after fusing", kGroupNorm},
      {"D5", GroupNorm, "batch norm folds into a convolution, group norm cannot", kNoFigure},
      {"F1", Slides, "x.cuda().half() or x.half().cuda()"},
      {"F2", Slides, "one call .to(device, dtype)"},
      {"F3", Slides, "training with either order of F1", "training is not built yet"},
      {"F4", Slides, "which augmentations keep uint8"},
      {"F5", Slides, "normalisation as the first layer of the model"},
      {"F6", Slides, "JPEG quality and the size of files", "it measures ffmpeg"},
      {"F7", Slides, "loading compressed and uncompressed files", kDatasets},
      {"F8", Slides, "a memory-mapped dataset or a folder of PNG", kDatasets},
      {"F9", Slides, "F8 with the batches on the GPU", kDatasets},
      {"F10", Slides, "profile of resnet18, cold and warm"},
      {"F11", Slides, "a schedule for the profiler"},
      {"F12", Slides, "few files, pages and page faults", kNoFigure},
  });
  return kAll;
}

}  // namespace normbench
