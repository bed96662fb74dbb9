// The flags that declare engines outside, for verbs that take plans.
#pragma once

namespace CLI {
class App;
}

namespace fusillade::cli {

// Adds --engine and --engine-python; what they give is declared before the verb runs.
void declare_engines(CLI::App& app);

}  // namespace fusillade::cli
