// What belongs to this executable and lies next to it, wherever both were put: in a build folder of
// a checkout, in an unpacked archive, in an environment of Python, or below /usr.
#pragma once

#include <string>

namespace fusillade::fuzz {

// The path of this executable, links followed; "" where /proc has none.
std::string own_executable();

// A folder that is installed with the executable, such as "reports" or "bench/programs": the
// nearest above it that holds NAME or share/fusillade/NAME. "": there is none.
std::string installed_folder(const std::string& name);

// `given` where it exists, as in a checkout; else the installed folder of that name;
// else `given`, for messages.
std::string here_or_installed(const std::string& given);

// The Python of the folder that the executable is in, as where pip put it there; "": there is none.
std::string adjacent_python();

// The Python that runs reports and scripts: what FUSILLADE_PYTHON names; else the one next to the
// executable; else Debian's; else the first one of PATH.
std::string python_interpreter();

}  // namespace fusillade::fuzz
