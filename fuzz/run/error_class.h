// The class of an error: the word of Python's that its message begins with.
#pragma once

#include <string>

namespace fusillade::fuzz {

// The first word of the message's first line that names a class of Python's exceptions, with its
// ':' behind or at the end; else empty. `behind`, where given, is what follows.
std::string error_class(const std::string& message, std::string* behind = nullptr);

// The same, and RuntimeError where the message names none, as TorchScript reports what an op
// refuses.
std::string raised_class(const std::string& message);

}  // namespace fusillade::fuzz
