/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - finds the command of a command line and runs it. */
#include "program.h"

#include "command.h"
#include "terminal.h"

#include "hry/api.h"

#include <errno.h>
#include <string.h>

static const struct command *const commands[] = {
    &command_ls,    &command_show,  &command_dump,  &command_stat, &command_diff,
    &command_check, &command_serve, &command_fetch, NULL};

static const struct option_row own_rows[] = {
    OPTION_HELP,
    {.letter = 'V',
     .name = "version",
     .help = "the version of this program",
     .at = offsetof(struct options, version)},
};
static const struct option_table own_options = COMMAND_OPTIONS(own_rows);

static void print_help(FILE *out)
{
    fputs("hurray - looks into files of Hurray tensors\n\n"
          "  hurray COMMAND [OPTION...] OPERAND...\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nOptions:\n", out);
    option_print(&own_options, out);
    fputs("\nA FILE is a Hurray file or the bytes of one descriptor; - is standard input.\n"
          "'hurray COMMAND --help' has options and examples.\n\n"
          "Exit status: 0 well, 1 the file breaks the format, 2 it cannot be read or the\n"
          "command line is wrong.\n",
          out);
}

static void print_command_help(const struct command *command, FILE *out)
{
    fprintf(out, "hurray %s - %s\n\n  hurray %s [OPTION...] %s\n\n%s\nOptions:\n",
            command->name, command->summary, command->name, command->operands,
            command->more);
    option_print(&command->options, out);
    fprintf(out, "\nExamples:\n%s", command->examples);
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct options options = {0};
    int count;
    if (!option_parse(&command->options, command->name, argc, argv, &options, &count))
        return EXIT_UNREADABLE;
    if (options.help) {
        print_command_help(command, stdout);
        return EXIT_OK;
    }
    if (count < command->least || count > command->most) {
        report_usage(command->name, "%s: %s",
                     count < command->least ? "missing" : "too many", command->operands);
        return EXIT_UNREADABLE;
    }
    const struct invocation in = {&options, argv, count, stdout,
                                  terminal_has_colour(stdout)};
    return command->run(&in);
}

/* Without a command: --help and --version. */
static int run_alone(int argc, char **argv)
{
    struct options options = {0};
    int count;
    if (!option_parse(&own_options, "", argc, argv, &options, &count))
        return EXIT_UNREADABLE;
    if (options.version)
        puts("hurray " HRY_VERSION);
    else
        print_help(options.help ? stdout : stderr);
    return options.version || options.help ? EXIT_OK : EXIT_UNREADABLE;
}

/* A reader of our output may have enough of it; a full disk is an error. */
static int finish(int code)
{
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    if ((fflush(stdout) == 0 && !failed) || errno == EPIPE)
        return code;
    fprintf(stderr, "hurray: standard output: %s\n",
            errno != 0 ? strerror(errno) : "cannot be written");
    return EXIT_UNREADABLE;
}

int program_run(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return finish(run_alone(argc - 1, argv + 1));
    const struct command *command = find(argv[1]);
    if (command == NULL) {
        report_usage("", "no command '%s'", argv[1]);
        return EXIT_UNREADABLE;
    }
    return finish(run(command, argc - 2, argv + 2));
}
