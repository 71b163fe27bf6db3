/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the program `hurray`. */
#include "program.h"

#include "report.h"

#include <signal.h>
#include <unistd.h>

/* Mapped bytes are gone when someone cuts the file off while we read it. */
static void on_lost_bytes(int signal_number)
{
    static const char message[] = "hurray: the file became shorter while it was read\n";
    (void)signal_number;
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    _exit(EXIT_UNREADABLE);
}

int main(int argc, char **argv)
{
    const struct sigaction lost = {.sa_handler = on_lost_bytes};
    sigaction(SIGBUS, &lost, NULL);
    return program_run(argc, argv);
}
