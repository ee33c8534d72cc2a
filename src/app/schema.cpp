#include "plan/schema.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/schema.h"
#include "report/results_schema.h"
#include "report/torch_table.h"

namespace normbench {
namespace {

/// The kind of file that a schema describes.
enum class Described { Config, Results };
constexpr auto words(Described) {
  return std::to_array<Word<Described>>(
      {{Described::Config, "config"}, {Described::Results, "results"}});
}

struct SchemaOptions {
  Described of = Described::Config;
  std::string out;
};

/// Returns the function that reads the value of the option --of. The function stores the value in
/// `of`, or throws Invalid.
Take described(Described& of) {
  const auto take = [&of](const std::string& name, const std::string& given) {
    const auto value = parse_word<Described>(given);
    if (!value)
      throw Invalid(
          fmt::format("{}: {}", name, unknown_of("value", given, all_words<Described>())));
    of = *value;
  };
  return {.call = take, .words = all_words<Described>()};
}

}  // namespace

std::string schema_text() { return config_schema(sort_key_spellings()).dump(1) + "\n"; }

Subcommand make_schema() {
  const auto options = std::make_shared<SchemaOptions>();
  return {
      .options = {{"--of", "WHAT", "config (default), or results: results.json, which `run` writes",
                   described(options->of)},
                  out_option(options->out)},
      .run = [options] {
        check_output("--out", options->out, {});
        const bool of_config = options->of == Described::Config;
        deliver(of_config ? schema_text() : results_schema().dump(1) + "\n", options->out);
        return Exit::Fine;
      }};
}

}  // namespace normbench
