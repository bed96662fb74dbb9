// Which open files a child that runs strangers' programs is left: none but those named here. So it
// has no database, lock or report of the command, and nothing that the command's caller left open.
#pragma once

namespace fusillade::fuzz {

// This descriptor is of use in children: a channel to workers that are lent, and their log;
// grounds.
void keep_in_children(int fd);
void forget_in_children(int fd);  // before it is closed

// In a child with one thread: closes all but the first three, those that are kept, and `also` (-1:
// none).
void close_other_descriptors(int also = -1);
// The same of a program that the child becomes: none is left but the first three.
void close_descriptors_on_exec();

}  // namespace fusillade::fuzz
