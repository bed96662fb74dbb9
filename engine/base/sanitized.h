// Whether this build runs under AddressSanitizer: FUS_SANITIZED is 1 or 0.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUS_SANITIZED 1
#endif
#endif
#if !defined(FUS_SANITIZED) && defined(__SANITIZE_ADDRESS__)
#define FUS_SANITIZED 1
#elif !defined(FUS_SANITIZED)
#define FUS_SANITIZED 0
#endif
