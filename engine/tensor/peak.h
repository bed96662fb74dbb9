// The most bytes that all storages together have held, since somebody began to look.
#pragma once

#include <cstddef>

namespace fusillade {

// Begins anew at what is held now.
void restart_peak();
size_t peak_bytes();

}  // namespace fusillade
