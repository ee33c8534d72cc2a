/// Tests of the ops that move values without changing them: `copy`, `layout`, `h2d`, `d2h`,
/// `exchange`, `crop`, `flip`, `stream`, `first_touch`.
#include "ops/op_testing.h"

namespace normbench::moves_test {
namespace {

using testing::ElementsAre;

const Tensor64 two_by_three{{1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}};
const TensorDesc device = nchw(DType::Float16, {2, 3, 4, 5}, Memory::Device);
const TensorDesc host = nchw(DType::Float16, {2, 3, 4, 5}, Memory::PageableHuge);

TEST(Moves, KeepValuesAndAccuracy) {
  const Accuracy a{.low = -1, .high = 2, .errors = 0.5, .whole = true};
  for (const Op& op : {Op(Copy{}), Op(LayoutOp{}), Op(H2d{}), Op(D2h{}), Op(Exchange{})}) {
    std::vector<Tensor64> out(1);
    reference(op, std::vector{two_by_three}, out, 0);
    EXPECT_EQ(out[0].shape, two_by_three.shape);
    EXPECT_EQ(out[0].values, two_by_three.values);
  }
  for (const Op& op :
       {Op(Copy{}), Op(LayoutOp{}), Op(H2d{}), Op(D2h{}), Op(Exchange{}), Op(Crop{}), Op(FlipOp{})})
    EXPECT_EQ(accuracies(op, std::vector<Known>{{two_by_three, a}}, std::vector{two_by_three},
                         std::vector{host}),
              std::vector{a})
        << name_of(op);
}

TEST(Moves, MoveErrorsWithTheirValues) {
  const Accuracy a{.errors = std::vector<double>{1, 2, 3, 4, 5, 6}};
  const auto after = [&](const Op& op) { return accuracy_of(op, two_by_three, a, host).errors; };
  EXPECT_EQ(after(Copy{}), a.errors);
  EXPECT_EQ(after(FlipOp{}), Errors(std::vector<double>{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(after(Crop{.window = {.height = 1, .width = 2, .top = 1, .left = 1}}),
            Errors(std::vector<double>{5, 6}));
}

TEST(Moves, NeedOneInput) {
  for (const Op& op : {Op(Copy{}), Op(LayoutOp{}), Op(H2d{}), Op(D2h{}), Op(Crop{}), Op(FlipOp{}),
                       Op(Stream{}), Op(FirstTouch{})}) {
    EXPECT_EQ(infer_error(op, {}), "needs 1 input, got 0") << name_of(op);
    EXPECT_EQ(infer_error(op, {host, host}), "needs 1 input, got 2") << name_of(op);
  }
}

TEST(Copy, OfAStridedTensorIsContiguous) {
  TensorDesc strided = host;
  strided.strides.h += 3;
  EXPECT_THAT(infer(Copy{}, std::vector{strided}), ElementsAre(host));
}

TEST(LayoutOp, ChangesTheLayoutOnly) {
  EXPECT_THAT(infer(made<LayoutOp>(R"({"to": "nhwc"})"), std::vector{host}),
              ElementsAre(dense(DType::Float16, Layout::Nhwc, {2, 3, 4, 5}, Memory::PageableHuge)));
  EXPECT_EQ(made<LayoutOp>("{}").to, Layout::Nchw);
}

TEST(H2d, MovesToTheDeviceOnce) {
  EXPECT_THAT(infer(H2d{}, std::vector{host}), ElementsAre(device));
  EXPECT_EQ(infer_error(H2d{}, {device}), "input is already on the device");
}

TEST(D2h, MovesToPageableMemoryOnce) {
  EXPECT_THAT(infer(D2h{}, std::vector{device}), ElementsAre(nchw(DType::Float16, {2, 3, 4, 5})));
  EXPECT_EQ(infer_error(D2h{}, {host}), "input is already in host memory");
}

TEST(Exchange, MovesPageLockedMemoryToTheDevice) {
  for (const Memory memory :
       {Memory::Pinned, Memory::Registered, Memory::WriteCombined, Memory::Mapped})
    EXPECT_THAT(infer(Exchange{}, std::vector{nchw(DType::Float16, {2, 3, 4, 5}, memory)}),
                ElementsAre(device));
  EXPECT_EQ(infer_error(Exchange{}, {device}), "input is already on the device");
  EXPECT_EQ(infer_error(Exchange{}, {host}),
            "pageable_huge memory cannot be copied both ways at once (use pinned, registered, "
            "write_combined or mapped memory)");
}

TEST(Crop, CutsTheWindow) {
  EXPECT_THAT(result(made<Crop>(R"({"size": [1, 2], "at": [1, 1]})"), two_by_three).values,
              ElementsAre(5, 6));
  const Tensor64 centred = result(made<Crop>(R"({"size": [2, 1]})"), two_by_three);
  EXPECT_EQ(centred.shape, (Shape{1, 1, 2, 1}));
  EXPECT_THAT(centred.values, ElementsAre(2, 5));
  EXPECT_THAT(infer(made<Crop>(R"({"size": [4, 1]})"), std::vector{host}),
              ElementsAre(nchw(DType::Float16, {2, 3, 4, 1}, Memory::PageableHuge)));
}

TEST(Crop, CutsEveryImageAndChannel) {
  const Tensor64 in{{2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_THAT(result(made<Crop>(R"({"size": [1, 1], "at": [0, 1]})"), in).values,
              ElementsAre(2, 4, 6, 8));
}

TEST(Crop, SaysWhatDoesNotFit) {
  const TensorDesc image = nchw(DType::UInt8, {1, 3, 224, 224});
  const auto error = [&](const char* text) { return infer_error(made<Crop>(text), {image}); };
  EXPECT_EQ(error(R"({"size": [300, 300]})"), "window 300x300 does not fit in 224x224");
  EXPECT_EQ(error(R"({"size": [1, 225]})"), "window 1x225 does not fit in 224x224");
  EXPECT_EQ(error(R"({"size": [100, 100], "at": [125, 0]})"),
            "window 100x100 at [125, 0] does not fit in 224x224");
  EXPECT_EQ(error(R"({"size": [100, 100], "at": [0, 2147483647]})"),
            "window 100x100 at [0, 2147483647] does not fit in 224x224");
  EXPECT_EQ(error(R"({"size": [100, 100], "at": [124, 124]})"), "no error");
}

TEST(Crop, CoveredPixelsCountOnce) {
  const auto at = [](std::int64_t top, std::int64_t left) {
    return Window{.height = 4, .width = 6, .top = top, .left = left};
  };
  const auto covered = [](const std::vector<Window>& windows) {
    return covered_pixels(windows, 20, 30);
  };
  EXPECT_EQ(covered({at(3, 5)}), 24);
  EXPECT_EQ(covered({at(3, 5), at(3, 5)}), 24);
  EXPECT_EQ(covered({at(0, 0), at(16, 24)}), 48);
  EXPECT_EQ(covered({at(0, 0), at(3, 5)}), 47);
  EXPECT_EQ(covered({at(0, 0), at(0, 3), at(2, 0)}), 24 + 12 + 2 * 6);
  EXPECT_EQ(covered({{.height = 20, .width = 30, .top = {}, .left = {}}, at(7, 7)}), 600);
}

TEST(Concat, PutsTheImagesOfEachInputBehindThoseBefore) {
  const std::vector in{nchw(DType::UInt8, {1, 1, 1, 2}), nchw(DType::UInt8, {2, 1, 1, 2})};
  std::vector<Tensor64> out{{.shape = {3, 1, 1, 2}, .values = {}}};
  EXPECT_THAT(infer(Concat{}, in), ElementsAre(nchw(DType::UInt8, out[0].shape)));
  reference(Concat{}, std::vector<Tensor64>{{in[0].shape, {1, 2}}, {in[1].shape, {3, 4, 5, 6}}},
            out, 0);
  EXPECT_THAT(out[0].values, ElementsAre(1, 2, 3, 4, 5, 6));
  const Tensor64 one{{1, 1, 1, 2}, {1, 2}};
  const std::vector<Known> known{{one, {.low = -1, .high = 2, .errors = 0.5, .whole = true}},
                                 {one, {.low = 0, .high = 3, .errors = 0.1}}};
  const std::vector<Tensor64> exact{{{2, 1, 1, 2}, {1, 2, 1, 2}}};
  EXPECT_EQ(accuracies(Concat{}, known, exact, {}),
            (std::vector<Accuracy>{
                {.low = -1, .high = 3, .errors = std::vector<double>{0.5, 0.5, 0.1, 0.1}}}));
}

TEST(Concat, NeedsTensorsThatDifferInTheirBatchAlone) {
  EXPECT_EQ(infer_error(Concat{}, {host}), "needs 2 inputs or more, got 1");
  EXPECT_EQ(infer_error(Concat{}, {host, host, nchw(DType::Float16, {7, 3, 4, 6})}),
            "input 3 must be like the first input, except for its batch, 7x3x4x5 float16 nchw, got "
            "7x3x4x6 float16 nchw");
  EXPECT_EQ(infer_error(Concat{}, {host, nchw(DType::UInt8, {2, 3, 4, 5})}),
            "input 2 must be like the first input, except for its batch, 2x3x4x5 float16 nchw, got "
            "2x3x4x5 uint8 nchw");
}

TEST(Crop, PointsAtMistakes) {
  EXPECT_THAT(mistakes("crop", "{}"), ElementsAre(": no \"size\" ([height, width])"));
  EXPECT_THAT(mistakes("crop", R"({"size": [1, 2, 3]})"),
              ElementsAre("/size: must be 2 whole numbers, [height, width]"));
  EXPECT_THAT(mistakes("crop", R"({"size": [0, 2]})"),
              ElementsAre("/size/0: must be from 1 to 2147483647, got 0"));
  EXPECT_THAT(mistakes("crop", R"({"size": [1, 2], "at": [-1, 0]})"),
              ElementsAre("/at/0: must be from 0 to 2147483647, got -1"));
  EXPECT_THAT(mistakes("crop", R"({"size": [1, "x"]})"),
              ElementsAre("/size/1: expected an integer, got \"x\""));
}

TEST(FlipOp, MirrorsAlongItsAxis) {
  const auto flipped = [](const char* text) {
    return result(made<FlipOp>(text), two_by_three).values;
  };
  EXPECT_THAT(flipped("{}"), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(flipped(R"({"axis": "vertical"})"), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(flipped(R"({"axis": "both"})"), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(flipped(R"({"axis": "none"})"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Stream, WritesItsShareOfWhatItReads) {
  const auto bytes = [](const char* text, std::int64_t n) {
    return infer(made<Stream>(text), std::vector{nchw(DType::UInt8, {1, 1, 1, n})})[0];
  };
  EXPECT_EQ(bytes("{}", 100), nchw(DType::UInt8, {1, 1, 1, 100}));
  EXPECT_EQ(bytes(R"({"read": 1, "write": 4})", 100), nchw(DType::UInt8, {1, 1, 1, 400}));
  EXPECT_EQ(bytes(R"({"read": 3, "write": 2})", 100), nchw(DType::UInt8, {1, 1, 1, 66}));
  EXPECT_EQ(bytes(R"({"read": 1, "write": 0})", 100), nchw(DType::UInt8, {1, 1, 1, 1}));
  EXPECT_EQ(bytes(R"({"read": 0, "write": 1})", 100), nchw(DType::UInt8, {1, 1, 1, 100}));
  EXPECT_THAT(infer(Stream{}, std::vector{device}),
              ElementsAre(nchw(DType::UInt8, {1, 1, 1, 240}, Memory::Device)));
  EXPECT_EQ(infer_error(Stream{.read_parts = 1, .write_parts = 65536},
                        {nchw(DType::UInt8, {1, 1, 1 << 30, 1 << 30})}),
            "shape overflows: 1x1x1152921504606846976x65536 uint8 (must be under 2^62 bytes)");
}

TEST(Stream, PointsAtMistakes) {
  EXPECT_THAT(mistakes("stream", R"({"read": 0, "write": 0})"),
              ElementsAre(": must read or write (\"read\" and \"write\" are both 0)"));
  EXPECT_THAT(mistakes("stream", R"({"read": -1})"),
              ElementsAre("/read: must be at least 0, got -1"));
}

TEST(FirstTouch, HasAsManyBytesAsItsInput) {
  EXPECT_THAT(infer(FirstTouch{}, std::vector{host}),
              ElementsAre(nchw(DType::UInt8, {1, 1, 1, 240}, Memory::PageableHuge)));
}

TEST(Undefined, AnyByteIsWithinTheBound) {
  for (const Op& op : {Op(Stream{}), Op(FirstTouch{})}) {
    EXPECT_EQ(accuracies(op, {}, {}, {}),
              (std::vector<Accuracy>{{.low = 0, .high = 255, .errors = 255}}));
    std::vector<Tensor64> out{two_by_three};
    reference(op, {}, out, 0);
    EXPECT_THAT(out[0].values, ElementsAre(0, 0, 0, 0, 0, 0));
  }
}

}  // namespace
}  // namespace normbench::moves_test
