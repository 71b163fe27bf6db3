/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_serve.c - hurray serve: the tensors of a file, for clients. */
#include "amount.h"
#include "command.h"
#include "input.h"

#include "hry/server.h"

#include <signal.h>

/* The one that a signal stops. */
static hry_server *running;

static void on_signal(int signal_number)
{
    (void)signal_number;
    hry_server_stop(running);
}

static hry_status run_until_signal(hry_server *server, hry_error *err)
{
    const struct sigaction stop = {.sa_handler = on_signal};
    struct sigaction before[2];
    running = server;
    sigaction(SIGINT, &stop, &before[0]);
    sigaction(SIGTERM, &stop, &before[1]);
    const hry_status status = hry_server_run(server, err);
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    return status;
}

static bool take_options(const struct options *o, hry_server_options *out)
{
    uint32_t idle_s = 0;
    *out = (hry_server_options){.session = {.no_transcode = o->no_transcode}};
    if (!amount_read("serve", "connections", o->connections, 10000, &out->connections) ||
        !amount_read("serve", "shards", o->shards, 1000, &out->session.shards) ||
        !amount_read("serve", "idle", o->idle, 1000000, &idle_s))
        return false;
    out->idle_ms = idle_s * 1000;
    return true;
}

static int serve(const struct invocation *in, hry_store store,
                 const hry_server_options *options)
{
    const char *address = in->options->listen != NULL ? in->options->listen : "tcp:0";
    const struct place where = {.file = address};
    hry_server *server;
    hry_error err;
    if (hry_server_open(address, store, options, &server, &err) != HRY_OK)
        return report_error(&where, &err);
    fprintf(in->out, "serving %s at %s\n", in->operands[0], hry_server_address(server));
    fflush(in->out);
    const hry_status status = run_until_signal(server, &err);
    hry_server_close(server);
    return status == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

static int serve_input(const struct invocation *in, const struct input *input)
{
    const struct place where = {.file = input->path};
    hry_server_options options;
    hry_store store;
    hry_error err;
    if (!take_options(in->options, &options))
        return EXIT_UNREADABLE;
    if (input->file == NULL)
        return report_refusal(&where, "one descriptor, not a file with tensors");
    if (hry_file_store_open(input->file, &store, &err) != HRY_OK)
        return report_error(&where, &err);
    const int code = serve(in, store, &options);
    hry_file_store_close(&store);
    return code;
}

static int run(const struct invocation *in)
{
    struct input input;
    int code = input_open(
        in->operands[0], in->options->permissive ? INPUT_PERMISSIVE : INPUT_STRICT, &input);
    if (code == EXIT_OK)
        code = serve_input(in, &input);
    input_close(&input);
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'l',
     .name = "listen",
     .value = "ADDRESS",
     .help = "where: unix:PATH, HOST:PORT or PORT of this machine (any free one)",
     .at = offsetof(struct options, listen)},
    {.name = "connections",
     .value = "N",
     .help = "clients at once (64)",
     .at = offsetof(struct options, connections)},
    {.name = "idle",
     .value = "SECONDS",
     .help = "leave clients on which nothing moves so long (60)",
     .at = offsetof(struct options, idle)},
    {.name = "shards",
     .value = "N",
     .help = "cut tensors for clients that take shards",
     .at = offsetof(struct options, shards)},
    {.name = "no-transcode",
     .help = "send every tensor in the layout it has",
     .at = offsetof(struct options, no_transcode)},
    {.letter = 'p',
     .name = "permissive",
     .help = "serve what can be served of a file with unknown types or layouts",
     .at = offsetof(struct options, permissive)},
    OPTION_HELP,
};

const struct command command_serve = {
    .name = "serve",
    .operands = "FILE",
    .summary = "let clients fetch its tensors",
    .more =
        "Serves until interrupted, to this machine only unless --listen says otherwise.\n"
        "There is no encryption and no proof of who is who. A Unix socket is its owner's.\n"
        "Answers under way when it is interrupted are completed, for 5 seconds at most.\n",
    .examples = "  hurray serve weights.hrry\n"
                "  hurray serve --listen unix:/tmp/weights weights.hrry\n"
                "  hurray serve -l 4711 --shards 4 weights.hrry\n",
    .least = 1,
    .most = 1,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
