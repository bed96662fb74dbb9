// The workers that are shipped: their texts, put here by the build (cmake/embed_text.cmake).
#pragma once

namespace fusillade::fuzz {

extern const char* const kFusilladeWorkerText;  // fuzz/workers/fusillade_worker.py
extern const char* const kTorchWorkerText;      // fuzz/workers/torch_worker.py

}  // namespace fusillade::fuzz
