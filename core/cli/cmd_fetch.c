/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_fetch.c - hurray fetch: tensors of a server. */
#include "amount.h"
#include "command.h"
#include "fetched.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How everything is asked for. */
struct wish {
    hry_request request;
    uint8_t layouts[32];
};

static bool take_layouts(const char *list, struct wish *w)
{
    size_t count = 0;
    while (list != NULL && *list != '\0') {
        char name[32];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, list);
        const uint8_t tag = hry_layout_tag(name);
        if (tag == 0 || count == sizeof w->layouts)
            return report_usage("fetch", "--layout: '%.*s' is no layout", (int)length,
                                list);
        w->layouts[count++] = tag;
        list += length + (list[length] == ',');
    }
    if (count > 0)
        w->request.flags |= HRY_ALLOW_TRANSCODE;
    w->request.layouts = (hry_layout_list){w->layouts, (uint32_t)count, (uint16_t)count};
    return true;
}

static bool take_options(const struct options *o, struct wish *w)
{
    *w = (struct wish){.request = {.flags = o->parallel ? HRY_PARALLEL_OK : 0}};
    if (!amount_read("fetch", "alignment", o->alignment, 1u << 31,
                     &w->request.min_alignment))
        return false;
    const uint32_t a = w->request.min_alignment;
    if ((a & (a - 1)) != 0)
        return report_usage("fetch", "--alignment: %lu is no power of two",
                            (unsigned long)a);
    return take_layouts(o->layout, w);
}

/* ---- one name ---- */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, c);
    return c != '\0' && at != NULL ? (int)(at - digits) : -1;
}

/* What `hurray ls` shows as \n, \t or \x1b, as the character it is: in place. */
static void from_shown(char *name)
{
    char *to = name;
    while (*name != '\0') {
        const bool is_hex = name[0] == '\\' && name[1] == 'x' && hex_digit(name[2]) >= 0 &&
                            hex_digit(name[3]) >= 0;
        if (is_hex) {
            *to++ = (char)(hex_digit(name[2]) * 16 + hex_digit(name[3]));
            name += 4;
        } else if (name[0] == '\\' && (name[1] == 'n' || name[1] == 't')) {
            *to++ = name[1] == 'n' ? '\n' : '\t';
            name += 2;
        } else {
            *to++ = *name++;
        }
    }
    *to = '\0';
}

/* Shards are put together in memory before anything is written. */
static hry_status fetch_joined(hry_remote *remote, const hry_request *request,
                               struct fetched *f, hry_error *err)
{
    hry_collector *c;
    hry_status status = hry_collector_new(&c, err);
    if (status != HRY_OK)
        return status;
    status = hry_remote_fetch(remote, request, hry_collector_add, c, err);
    if (status == HRY_OK)
        status = fetched_all(f, c, err);
    hry_collector_free(c);
    return status;
}

static hry_status fetch_key(const struct invocation *in, hry_remote *remote,
                            const char *key, const struct wish *w, struct fetched *f,
                            hry_error *err)
{
    hry_request request = w->request;
    request.key = (hry_message_text){key, (uint32_t)strlen(key)};
    f->key = key;
    memset(f->member, 0, sizeof f->member);
    return in->options->parallel
               ? fetch_joined(remote, &request, f, err)
               : hry_remote_fetch(remote, &request, fetched_event, f, err);
}

static int fetch_one(const struct invocation *in, hry_remote *remote, char *key,
                     const struct wish *w, struct fetched *f)
{
    const struct place where = {
        .file = in->operands[0], .name = key, .name_length = strlen(key)};
    hry_error err;
    hry_status status = fetch_key(in, remote, key, w, f, &err);
    if (status == HRY_ERR_NOTFOUND && strchr(key, '\\') != NULL) {
        from_shown(key);
        status = fetch_key(in, remote, key, w, f, &err);
    }
    return status == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

static int fetch_all(const struct invocation *in, hry_remote *remote, const struct wish *w,
                     struct fetched *f)
{
    int code = EXIT_OK;
    for (int i = 1; i < in->operand_count && code == EXIT_OK; i++)
        code = fetch_one(in, remote, in->operands[i], w, f);
    return code;
}

/* ---- where it goes ---- */

static int print_table(const struct invocation *in, hry_remote *remote,
                       const struct wish *w)
{
    struct table table = table_of(fetched_columns, 5);
    struct fetched f = {.table = &table};
    int code = fetch_all(in, remote, w, &f);
    if (!table_print(&table, in->out, in->colour)) {
        const struct place where = {.file = in->operands[0]};
        code = report_refusal(&where, "no memory for its list");
    }
    table_free(&table);
    return code;
}

static hry_status to_stream(void *ctx, const void *bytes, size_t size, hry_error *err)
{
    if (size == 0 || fwrite(bytes, size, 1, ctx) == 1)
        return HRY_OK;
    if (err != NULL)
        *err = (hry_error){HRY_ERR_IO, HRY_NO_OFFSET, "cannot be written"};
    return HRY_ERR_IO;
}

static int write_with(const struct invocation *in, hry_remote *remote, const struct wish *w,
                      hry_writer *writer, const char *path)
{
    const struct place where = {.file = path};
    struct fetched f = {.writer = writer};
    hry_error err;
    const int code = fetch_all(in, remote, w, &f);
    if (code != EXIT_OK) {
        hry_writer_abandon(writer);
        return code;
    }
    return hry_writer_finish(writer, &err) == HRY_OK ? EXIT_OK : report_error(&where, &err);
}

static int write_output(const struct invocation *in, hry_remote *remote,
                        const struct wish *w)
{
    const struct place where = {.file = "standard output"};
    hry_writer *writer;
    hry_error err;
    if (isatty(fileno(in->out)))
        return report_refusal(&where, "a file is not for terminals: give --output FILE");
    if (hry_writer_new(to_stream, in->out, NULL, &writer, &err) != HRY_OK)
        return report_error(&where, &err);
    return write_with(in, remote, w, writer, where.file);
}

/* Under another name until it is whole. */
static int write_file(const struct invocation *in, hry_remote *remote, const struct wish *w,
                      const char *path)
{
    const struct place where = {.file = path};
    struct text part = {0};
    hry_writer *writer;
    hry_error err;
    text_add(&part, "%s.part", path);
    const char *temporary = text_string(&part);
    int code = EXIT_OK;
    if (hry_writer_create(temporary, NULL, &writer, &err) != HRY_OK)
        code = report_error(&where, &err);
    else
        code = write_with(in, remote, w, writer, path);
    if (code == EXIT_OK && rename(temporary, path) != 0)
        code = report_refusal(&where, "cannot be replaced by %s", temporary);
    if (code != EXIT_OK)
        unlink(temporary);
    text_free(&part);
    return code;
}

static int run(const struct invocation *in)
{
    const struct place where = {.file = in->operands[0]};
    const hry_remote_options options = {
        .session = {.mode = in->options->permissive ? HRY_PERMISSIVE : HRY_STRICT}};
    const char *output = in->options->output;
    struct wish w;
    hry_remote *remote;
    hry_error err;
    if (!take_options(in->options, &w))
        return EXIT_UNREADABLE;
    if (hry_remote_open(in->operands[0], &options, &remote, &err) != HRY_OK)
        return report_error(&where, &err);
    const int code = output == NULL             ? print_table(in, remote, &w)
                     : strcmp(output, "-") == 0 ? write_output(in, remote, &w)
                                                : write_file(in, remote, &w, output);
    hry_remote_close(remote);
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'o',
     .name = "output",
     .value = "FILE",
     .help = "write a Hurray file; - is standard output",
     .at = offsetof(struct options, output)},
    {.name = "layout",
     .value = "LIST",
     .help = "the first of these that can be had, such as csr,column_major",
     .at = offsetof(struct options, layout)},
    {.name = "alignment",
     .value = "N",
     .help = "what buffers are at least aligned to, in bytes",
     .at = offsetof(struct options, alignment)},
    {.name = "parallel",
     .help = "take shards, and put them together in memory",
     .at = offsetof(struct options, parallel)},
    {.letter = 'p',
     .name = "permissive",
     .help = "take private layouts, too",
     .at = offsetof(struct options, permissive)},
    OPTION_HELP,
};

const struct command command_fetch = {
    .name = "fetch",
    .operands = "ADDRESS NAME...",
    .summary = "get tensors of a server",
    .more =
        "Without --output it lists what came. Composites come with their members, which\n"
        "get the names NAME/0, NAME/1 and so on. A FILE appears when all is there.\n",
    .examples = "  hurray fetch unix:/tmp/weights layer1/w\n"
                "  hurray fetch 127.0.0.1:4711 -o two.hrry layer1/w layer1/b\n"
                "  hurray fetch :4711 --layout csr,coo -o sparse.hrry mask\n",
    .least = 2,
    .most = 1000,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
