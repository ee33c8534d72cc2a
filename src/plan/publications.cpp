#include "plan/publications.h"

#include <array>

namespace normbench {

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

std::string_view said_by(Publication publication) {
  switch (publication) {
    case Publication::Blog:
      return "It normalises ten 720p images in PyTorch, on the CPU and on a GPU, and profiles "
             "that. On the CPU it finds casting costly, so that images should be float32 before, "
             "and torchvision's Normalize about as fast as two lines of one's own. With a GPU it "
             "finds that the transfer takes nearly all of the time, and so that images should be "
             "sent as uint8 and cast over there.";
    case Publication::Pix2pix:
      return "It serves 50 images, one by one, by a pix2pix in TensorRT, and looks for what keeps "
             "the GPU idle. Saving takes most of the time, and neither CUDA streams nor Python's "
             "threads hide it; loading the next image during inference does hide the loading. "
             "Waiting for the GPU once, not after each image, is found faster, and pinning memory "
             "explicitly slower than letting the copy stage.";
    case Publication::Torchvision:
      return "torchvision's Normalize checks mean and std and makes tensors of them in every call. "
             "Caching them is said to pay for one small image, most of all on the GPU, to make a "
             "large batch on the CPU slower, as the functional form is optimised inside of "
             "PyTorch, and to change nothing for a large batch on the GPU; the gap is said to "
             "shrink with more threads.";
    case Publication::GroupNorm:
      return "They profile PyTorch's group norm when it was a reshape, a batch norm and an "
             "addcmul: slow forward on the CPU, slower still backward, and in either direction "
             "faster on a V100 once it was fused.";
    case Publication::Slides:
      return "They ask whether images should be cast before or after they go to the GPU, and find "
             "that uint8 should be sent and cast there, the more so the larger the batch; that one "
             "call of .to(device, dtype) casts on the CPU first; that training gains with the size "
             "of the images; and that a memory-mapped file of decoded images beats a folder of "
             "PNG.";
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
      {"A8", Blog, "serving a few images, or training on many"},
      {"B1", Pix2pix, "names of stages in a timeline",
       "nothing is timed; every run names its stages so, in trace.json and by NVTX"},
      {"B2", Pix2pix, "load, infer, save of one image after the other"},
      {"B3", Pix2pix, "50 images with and without saving"},
      {"B4", Pix2pix, "saving on a stream of its own"},
      {"B5", Pix2pix, "copy in, compute and copy out at once"},
      {"B6", Pix2pix, "larger batches for TensorRT", "a plan for later, not measured"},
      {"B7", Pix2pix, "a thread for each image"},
      {"B8", Pix2pix, "no synchronisation after each image"},
      {"B9", Pix2pix, "pin explicitly, or let the copy stage"},
      {"B10", Pix2pix, "load the next image during inference"},
      {"B11", Pix2pix, "B10 with CV-CUDA before it"},
      {"B12", Pix2pix, "fused operators, both crops in one batch"},
      {"C1", Torchvision, "constants cached or not, one small image on the CPU"},
      {"C2", Torchvision, "constants cached or not, 1024 images on the CPU"},
      {"C3", Torchvision, "constants cached or not, one small image on the GPU"},
      {"C4", Torchvision, "constants cached or not, a large batch on the GPU"},
      {"C5", Torchvision, "C2 over threads"},
      {"D1", GroupNorm, "forward on the CPU as reshape, batch_norm, addcmul"},
      {"D2", GroupNorm, "backward on the CPU"},
      {"D3", GroupNorm, "forward on the GPU, before and after fusing"},
      {"D4", GroupNorm, "backward on the GPU, before and after fusing"},
      {"D5", GroupNorm, "batch norm folds into a convolution, group norm cannot"},
      {"F1", Slides, "x.cuda().half() or x.half().cuda()"},
      {"F2", Slides, "one call .to(device, dtype)"},
      {"F3", Slides, "training with either order of F1"},
      {"F4", Slides, "which augmentations keep uint8"},
      {"F5", Slides, "normalisation as the first layer of the model"},
      {"F6", Slides, "JPEG quality and the size of files"},
      {"F7", Slides, "loading compressed and uncompressed files"},
      {"F8", Slides, "a memory-mapped dataset or a folder of PNG"},
      {"F9", Slides, "F8 with the batches on the GPU"},
      {"F10", Slides, "profile of resnet18, cold and warm"},
      {"F11", Slides, "a schedule for the profiler"},
      {"F12", Slides, "few files, pages and page faults"},
  });
  return kAll;
}

}  // namespace normbench
