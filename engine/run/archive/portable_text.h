// The texts of portable.py and portable_generic.py, put into the library when it is built.
#pragma once

namespace fusillade::archive {

extern const char* const kPortableText;
extern const char* const kPortableGenericText;

}  // namespace fusillade::archive
