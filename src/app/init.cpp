#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/planned_configs.h"
#include "app/schema.h"
#include "core/file.h"
#include "core/units.h"
#include "measure/peer/messages.h"
#include "measure/peer/process.h"
#include "ops/load.h"
#include "plan/schema.h"
#include "report/dataset_text.h"
#include "report/first_config.h"
#include "report/own_config.h"
#include "report/words.h"

namespace normbench {
namespace {
namespace fs = std::filesystem;

constexpr const char* kSchemaFile = "normbench.schema.json";

struct InitOptions {
  std::string file = "mine.jsonc", images;
  std::string object, step;  // Python code: FILE.py:OBJECT, or "" for none
  std::vector<std::string> size;
  FirstConfig wanted;
  std::vector<std::string> mistakes;  // in values of options; reported with all other mistakes
};

/// Returns the config's name, made from its file's name.
std::string name_from(const std::string& file) {
  std::string name = fs::path(file).stem().string();
  for (char& c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-')) c = '-';
  const auto repeats =
      std::ranges::unique(name, [](char a, char b) { return a == '-' && b == '-'; });
  name.erase(repeats.begin(), repeats.end());
  name.erase(0, name.find_first_not_of(".-"));
  name.erase(name.find_last_not_of('-') + 1);
  return name.empty() ? "mine" : name.substr(0, 100);
}

/// Finds the images of --images. The path in the result is relative to `folder`, the config's
/// folder, if it lies in that folder, and absolute otherwise. Adds mistakes to `mistakes`, and sets
/// `said` to notes on the images. Returns nothing if the path is wrong.
std::optional<FirstConfig::Images> find_images(const std::string& images, const std::string& folder,
                                               std::vector<std::string>& mistakes,
                                               std::vector<std::string>& said) {
  Load load;
  load.path = fs::absolute(images).string();
  if (!is_utf8(load.path)) {
    mistakes.push_back("--images: the path is not UTF-8, which no config can hold (rename it)");
    return std::nullopt;
  }
  try {
    load.resolve({});
  } catch (const Invalid& mistake) {
    mistakes.push_back(fmt::format("--images {}: {}", shell_word(images), mistake.what()));
    return std::nullopt;
  }
  const std::vector<BrokenFiles> broken = broken_files(load);
  const std::int64_t count = std::ssize(load.files) - count_of(broken);
  if (count == 0)
    mistakes.push_back(fmt::format("--images {}: none of {} can be read: {}", shell_word(images),
                                   counted(std::ssize(load.files), "file"),
                                   fmt::join(broken_texts(broken), "; ")));
  said = beside_texts(load.beside);
  if (!broken.empty()) said.push_back(left_out_text(broken, std::ssize(load.files)));
  std::ranges::copy(remark_texts(remarked_files(load), count), std::back_inserter(said));
  return FirstConfig::Images{.path = path_near(images, folder), .count = count};
}

std::vector<std::string> float_words() {
  std::vector<std::string> words;
  for (const DTypeRow& row : dtype_rows)
    if (is_float(row.value)) words.emplace_back(row.name);
  return words;
}

/// Returns a Take that reads a floating-point dtype.
Take float_word(DType& dtype) {
  const auto call = [&dtype](const std::string& name, const std::string& given) {
    const auto value = parse_word<DType>(given);
    if (!value || !is_float(*value))
      throw Invalid(unknown_of(name.substr(2), given, float_words()));
    dtype = *value;
  };
  return {.call = call, .words = float_words()};
}

bool is_there(const fs::path& file) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(file, unknown));
}

/// Returns the path of the schema's file, which is in the config's folder.
fs::path schema_beside(const fs::path& config) { return config.parent_path() / kSchemaFile; }

/// Returns `given`, which is FILE.py:OBJECT, with FILE.py relative to `folder` if it lies in that
/// folder, and absolute otherwise. If `given` is wrong or there is no such file, adds a mistake to
/// `mistakes` and returns "".
std::string code_near(const std::string& option, const std::string& given,
                      const std::string& folder, std::vector<std::string>& mistakes) {
  const auto colon = given.rfind(':');
  const std::string file = given.substr(0, colon);
  if (colon == std::string::npos || colon == 0 || colon + 1 == given.size())
    mistakes.push_back(fmt::format("{} {}: expected FILE.py:OBJECT", option, shell_word(given)));
  else if (!fs::is_regular_file(file))
    mistakes.push_back(
        fmt::format("{} {}: no file {}", option, shell_word(given), shell_word(file)));
  else if (!is_utf8(given))
    mistakes.push_back(fmt::format("{}: the path is not UTF-8, which no config can hold", option));
  else
    return path_near(file, folder) + given.substr(colon);
  return "";
}

/// Returns the commands that can serve Python code to normbench, the preferred one first. The first
/// needs a python3 that has the package normbench. The second uses scripts/peers/run instead of
/// python3, and is left out if this program comes without that script.
std::vector<std::vector<std::string>> servers(const std::string& folder) {
  std::vector<std::vector<std::string>> commands{{"python3", "-m", "normbench.peer"}};
  if (const auto configs = own_configs()) {
    const fs::path run = fs::path(*configs).parent_path() / "scripts/peers/run";
    if (fs::exists(run))
      commands.push_back({path_near(run.string(), folder), "-m", "normbench.peer"});
  }
  return commands;
}

/// Thrown if a command cannot serve Python code: it does not start, or has no normbench or no
/// NumPy.
struct CannotServe : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Starts the user's code as a peer and asks what it is. Throws Invalid with the reason that the
/// peer gives, CannotServe if the peer does not tell its name, and std::runtime_error if it ends
/// after that.
OwnCode ask_own_code(const std::vector<std::string>& words, const std::string& folder) {
  constexpr std::chrono::seconds longest(300), at_end(5);
  const std::atomic<bool> interrupted{false};
  std::optional<PeerProcess> peer;
  try {
    peer.emplace(words.front(), PeerCommand{.argv = words, .directory = folder}, interrupted);
    read_hello(peer->ask("hello", hello_request(), longest).line);
  } catch (const Invalid&) {
    throw;
  } catch (const std::runtime_error& failure) {
    throw CannotServe(failure.what());
  }
  OwnCode code = read_described(peer->ask("describe", describe_request(), longest).line);
  peer->end(close_request(), at_end);
  return code;
}

/// Returns which options do not fit this kind of code; "" if all do.
std::string misfit(const InitOptions& options, const OwnCode& code) {
  const bool has_batch = options.wanted.batch != FirstConfig{}.batch;
  if (code.kind == OwnCodeKind::Loader && has_batch)
    return "a loader has a batch size of its own (leave --batch out)";
  if (code.kind == OwnCodeKind::Transform && (options.wanted.gpu || !options.step.empty()))
    return "a function of a batch has no loop (leave --gpu and --step out)";
  return "";
}

/// Returns the config for the user's own Python code, which is run once to see what it gives.
/// Returns nothing and adds to `mistakes` if that fails.
std::optional<OwnConfig> find_own_code(const InitOptions& options, const std::string& folder,
                                       std::vector<std::string>& mistakes) {
  const std::size_t before = mistakes.size();
  const std::string object = code_near("--python", options.object, folder, mistakes);
  const std::string step =
      options.step.empty() ? "" : code_near("--step", options.step, folder, mistakes);
  if (mistakes.size() > before) return std::nullopt;
  const auto complain = [&](const std::string& what) {
    mistakes.push_back(fmt::format("--python {}: {}", shell_word(options.object), what));
  };
  std::string why;
  for (std::vector<std::string> words : servers(folder)) {
    words.push_back(object);
    if (!step.empty()) words.insert(words.end(), {"--step", step});
    if (options.wanted.batch != FirstConfig{}.batch)
      words.insert(words.end(), {"--batch-size", std::to_string(options.wanted.batch)});
    try {
      const OwnCode code = ask_own_code(words, folder);
      if (const std::string wrong = misfit(options, code); !wrong.empty()) {
        complain(wrong);
        return std::nullopt;
      }
      return OwnConfig{.name = name_from(options.file),
                       .object = object.substr(object.rfind(':') + 1),
                       .words = words,
                       .kind = code.kind,
                       .has_step = code.has_step,
                       .given = code.given,
                       .batch = options.wanted.batch,
                       .workers = available_threads(),
                       .gpu = options.wanted.gpu};
    } catch (const CannotServe& failure) {
      if (why.empty()) why = failure.what();
    } catch (const std::exception& failure) {
      const std::string text = failure.what();
      complain(text.starts_with(": ") ? text.substr(2) : text);
      return std::nullopt;
    }
  }
  complain(why + " (install normbench's wheel and NumPy in the environment of your code)");
  return std::nullopt;
}

/// Returns the text of the config that the options describe, and sets `said` to notes on the
/// images. Throws BadInput with all mistakes.
std::string wanted_config(const InitOptions& options, std::vector<std::string>& said) {
  FirstConfig wanted = options.wanted;
  std::optional<OwnConfig> own;
  std::vector<std::string> mistakes = options.mistakes;
  const fs::path file = options.file, schema = schema_beside(file);
  if (file.filename() == kSchemaFile)
    mistakes.push_back(
        fmt::format("{} is the schema's name (name another file)", shell_word(file.string())));
  else if (is_there(file))
    mistakes.push_back(
        fmt::format("{} already exists (name another file)", shell_word(file.string())));
  if (!why_not_over(schema.string(), Written::Derived).empty())
    mistakes.push_back(fmt::format("{} already exists and is no schema of normbench (move it)",
                                   shell_word(schema.string())));
  if (!options.size.empty())
    std::tie(wanted.height, wanted.width) = read_size(options.size, largest_extent, mistakes);
  wanted.name = name_from(options.file);
  if (!options.images.empty())
    wanted.images = find_images(options.images, file.parent_path().string(), mistakes, said);
  if (!options.object.empty() &&
      (!options.images.empty() || !options.size.empty() || wanted.dtype != FirstConfig{}.dtype))
    mistakes.push_back(
        "--python: your code decides images, size and dtype (leave the options out)");
  else if (!options.object.empty() && mistakes.empty())
    own = find_own_code(options, file.parent_path().string(), mistakes);
  else if (!options.step.empty() && options.object.empty())
    mistakes.push_back("--step goes with --python");
  if (!mistakes.empty()) {
    std::vector<Issue> issues;
    for (const std::string& mistake : mistakes) issues.push_back({"", mistake});
    throw BadInput("normbench", std::move(issues));
  }
  return own ? own_config(*own) : first_config(wanted);
}

Exit init(const InitOptions& options) {
  std::vector<std::string> said;
  write_file(options.file, wanted_config(options, said));
  for (const std::string& text : said)
    tell("normbench: {}: {}\n", shell_word(options.images), text);
  const std::string schema = schema_beside(options.file).string();
  write_file(schema, schema_text());
  const std::string file = options.file.starts_with('-') ? "./" + options.file : options.file;
  say("Wrote {} (for editors: {})\nNext: normbench run --config {}{}\n", shell_word(file),
      shell_word(schema), shell_word(file), options.object.empty() ? "" : " --allow-peers");
  return Exit::Fine;
}

}  // namespace

Subcommand make_init() {
  const auto options = std::make_shared<InitOptions>();
  FirstConfig& wanted = options->wanted;
  const auto note = [options](Take take) { return noted(std::move(take), options->mistakes); };
  return {
      .options = {{"FILE", "", "The config to write (default: mine.jsonc)", &options->file},
                  {"--images", "DIR", "Photographs: a folder, or a glob", &options->images},
                  {"--batch", "N", "Images in a batch (default: 32)",
                   note(whole(wanted.batch, 1, largest_extent))},
                  {"--size", "H W", "Height and width of the images in a batch (default: 224 224)",
                   &options->size, "", Option::Pair},
                  {"--dtype", "NAME", "Dtype of the normalised values (default: float32)",
                   note(float_word(wanted.dtype))},
                  {"--python", "FILE.py:OBJECT",
                   "Measure your own Python code: a DataLoader or another iterable of batches, a "
                   "dataset of PyTorch, or a function of a batch. It is run once",
                   &options->object},
                  {"--step", "FILE.py:FUNCTION",
                   "With --python: your function for what follows on a batch, such as a training "
                   "step",
                   &options->step},
                  {"--gpu", "", "Compare normalising on the CPU and on the GPU, too", &wanted.gpu}},
      .run = [options] { return init(*options); },
      .help = "Comments in the file say what you can change."};
}

}  // namespace normbench
