#include "plan/schema.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/options.h"
#include "app/own_files.h"
#include "app/schema.h"
#include "report/torch_table.h"

namespace normbench {

std::string schema_text() { return config_schema(sort_key_spellings()).dump(1) + "\n"; }

Subcommand make_schema() {
  const auto out = std::make_shared<std::string>();
  return {.options = {out_option(*out)}, .run = [out] {
            check_output("--out", *out, {});
            deliver(schema_text(), *out);
            return Exit::Fine;
          }};
}

}  // namespace normbench
