// The workers that are shipped: their texts, put here by the build (cmake/embed_text.cmake).
#pragma once

namespace fusillade::fuzz {

extern const char* const kFusilladeWorkerText;  // fuzz/workers/fusillade_worker.py
extern const char* const kTorchEagerText;       // fuzz/workers/torch_eager.py
extern const char* const kTorchWorkerText;      // fuzz/workers/torch_worker.py

// Modules that workers import, and the workers.
extern const char* const kAtenArraysText;
extern const char* const kAtenPointwiseText;
extern const char* const kAtenShapesText;
extern const char* const kAtenTablesText;
extern const char* const kAtenText;
extern const char* const kIreeWorkerText;
extern const char* const kJaxArraysText;
extern const char* const kJaxPointwiseText;
extern const char* const kJaxShapesText;
extern const char* const kJaxSourceText;
extern const char* const kJaxTablesText;
extern const char* const kJaxWorkerText;
extern const char* const kLeftBehindText;
extern const char* const kLibraryGuardText;
extern const char* const kProgramWallText;
extern const char* const kMlxArraysText;
extern const char* const kMlxPointwiseText;
extern const char* const kMlxShapesText;
extern const char* const kMlxTablesText;
extern const char* const kMlxWorkerText;
extern const char* const kMnnWorkerText;
extern const char* const kOnnxGraphText;
extern const char* const kOnnxLayersText;
extern const char* const kOnnxPointwiseText;
extern const char* const kOnnxSourceText;
extern const char* const kOnnxTensorsText;
extern const char* const kOnnxWorkerText;
extern const char* const kOnnxrefWorkerText;
extern const char* const kRaisedForResultText;
extern const char* const kOpenvinoWorkerText;
extern const char* const kOrtWorkerText;
extern const char* const kTfNodesText;
extern const char* const kTfWorkerText;
extern const char* const kTfliteWorkerText;
extern const char* const kTinygradWorkerText;
extern const char* const kTorchAdmissionText;
extern const char* const kTorchAllowedText;
extern const char* const kTorchBuildText;
extern const char* const kTorchGradientsText;
extern const char* const kTorchPlainText;
extern const char* const kTorchKernelsText;
extern const char* const kTorchSourceText;
extern const char* const kTorchTransformsText;
extern const char* const kTvmWorkerText;

}  // namespace fusillade::fuzz
