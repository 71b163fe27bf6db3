/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - the whole program as a function. */
#ifndef PROGRAM_H
#define PROGRAM_H

/* What main() is given, argv[0] included. Returns the exit status; keeps nothing. */
int program_run(int argc, char **argv);

#endif
