/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ls.c - hurray ls: the tensors of files. */
#include "command.h"
#include "descriptor_json.h"
#include "input.h"
#include "ls_rows.h"
#include "ls_tree.h"
#include "notes.h"
#include "pattern.h"
#include "terminal.h"
#include "words.h"

#include <string.h>
#include <unistd.h>

/* The names asked for; none: all. */
struct wanted {
    char **names;
    int count;
};

/* Names that begin with a dot are a program's own. */
static bool is_hidden(const struct described *what)
{
    return what->entry.name_length > 0 && what->entry.name[0] == '.';
}

/* Is the tensor named, or in a group that is named? */
static bool is_named(const char *name, const struct described *what)
{
    const size_t length = strlen(name);
    return pattern_matches(name, what) ||
           (what->entry.name_length > length && what->entry.name[length] == '/' &&
            memcmp(what->entry.name, name, length) == 0);
}

static bool is_wanted(const struct invocation *in, const struct wanted *w,
                      const struct described *what)
{
    bool yes = w->count == 0;
    for (int i = 0; i < w->count; i++)
        yes = yes || is_named(w->names[i], what);
    return yes && (in->options->all || !is_hidden(what));
}

static int nothing(const struct input *input, const struct wanted *w)
{
    const struct place where = {.file = input->path};
    return report_refusal(&where, "no tensor or group, and no file, is '%s'", w->names[0]);
}

/* ---- JSON ---- */

static void add_object(struct json *j, const struct described *what)
{
    const hry_descriptor *d = &what->d;
    struct text text = {0};
    json_open(j, JSON_LINE_OBJECT);
    if (what->in_file) {
        json_key(j, "name");
        json_text(j, what->entry.name, what->entry.name_length);
    }
    words_add_type(&text, d->type_tag);
    json_put_string(j, "type", text_string(&text));
    shape_json(j, "shape", d->shape, d->rank);
    text_clear(&text);
    words_add_layout(&text, d->layout_tag);
    json_put_string(j, "layout", text_string(&text));
    json_put_u64(j, "size", notes_total_size(d));
    json_put_u64(j, "buffers", d->buffer_count);
    if (what->in_file) {
        json_put_u64(j, "descriptor_offset", what->entry.descriptor_offset);
        json_put_u64(j, "data_offset", what->entry.data_offset);
    }
    text_clear(&text);
    notes_add(&text, d, false);
    json_put_string(j, "notes", text_string(&text));
    json_close(j);
    text_free(&text);
}

static int list_json(const struct invocation *in, const struct input *input,
                     const struct wanted *w)
{
    struct json j = json_on(in->out);
    struct described what;
    int code = EXIT_OK;
    uint64_t count = 0;
    json_open(&j, JSON_OBJECT);
    json_put_string(&j, "file", input->path);
    json_key(&j, "tensors");
    json_open(&j, JSON_ARRAY);
    for (uint64_t i = 0; i < input_count(input); i++) {
        const int one = input_describe(input, i, &what);
        if (one == EXIT_OK && is_wanted(in, w, &what)) {
            add_object(&j, &what);
            count++;
        }
        code = exit_worst(code, one);
    }
    json_close(&j);
    json_close(&j);
    return count == 0 && w->count > 0 ? exit_worst(code, nothing(input, w)) : code;
}

/* ---- text ---- */

static int list_descriptor(const struct input *input, struct table *table, bool details)
{
    struct described what;
    const int code = input_describe(input, 0, &what);
    if (code != EXIT_OK)
        return code;
    text_add_foreign(table_cell(table), input->path, strlen(input->path));
    ls_add_tensor(table, &what, 0, details);
    return EXIT_OK;
}

/* A row for leaf `i` with its whole name. */
static void add_row(const struct tree *t, const struct described *what, uint64_t i)
{
    const struct listing *l = t->listing;
    const uint64_t end = listing_below(l, i, l->count, l->leaves[i].length);
    uint64_t below = 0;
    for (uint64_t k = i + 1; k < end; k++)
        below += l->leaves[k].size;
    text_add_foreign(table_cell(t->table), what->entry.name, what->entry.name_length);
    ls_add_tensor(t->table, what, below, t->details);
}

/* All names that match, one below the other. */
static uint64_t list_matching(const struct tree *t, const char *pattern)
{
    struct described what;
    uint64_t found = 0;
    for (uint64_t i = 0; i < t->listing->count; i++) {
        if (input_describe(t->input, t->listing->leaves[i].position, &what) != EXIT_OK ||
            !pattern_matches(pattern, &what))
            continue;
        add_row(t, &what, i);
        found++;
    }
    return found;
}

/* Where the last part of a path begins. */
static size_t last_part(const struct leaf *leaf, size_t length)
{
    while (length > 0 && leaf->path[length - 1] != '/')
        length--;
    return length;
}

/* A tensor or group by its path: itself, and what is in it. */
static uint64_t list_named(const struct tree *t, const char *name)
{
    const struct listing *l = t->listing;
    struct described what;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    for (uint64_t i = 0; i < l->count; i++) {
        const struct leaf *leaf = &l->leaves[i];
        if (leaf->length < length || memcmp(leaf->path, name, length) != 0 ||
            (leaf->length > length && leaf->path[length] != '/'))
            continue;
        const uint64_t end = listing_below(l, i, l->count, length);
        const bool is_tensor = leaf->length == length;
        if (is_tensor && t->is_recursive)
            ls_tree(t, i, end, last_part(leaf, length));
        else if (is_tensor && input_describe(t->input, leaf->position, &what) == EXIT_OK)
            add_row(t, &what, i);
        if (!(is_tensor && t->is_recursive))
            ls_tree(t, is_tensor ? i + 1 : i, end, length + 1);
        return end - i;
    }
    return list_matching(t, name);
}

static uint64_t list_wanted(const struct tree *t, const struct wanted *w)
{
    uint64_t found = 0;
    if (w->count == 0)
        ls_tree(t, 0, t->listing->count, 0);
    for (int i = 0; i < w->count; i++)
        found += pattern_has_wildcards(w->names[i]) ? list_matching(t, w->names[i])
                                                    : list_named(t, w->names[i]);
    return found;
}

static int list_text(const struct invocation *in, const struct input *input,
                     const struct wanted *w)
{
    const struct options *o = in->options;
    const struct place where = {.file = input->path};
    struct table table = ls_table(o->details);
    struct listing listing = {.leaves = NULL};
    const struct tree tree = {input,      &listing,     &table,
                              o->details, o->recursive, terminal_has_lines(in->out)};
    int code;
    if (input->file == NULL) {
        code = list_descriptor(input, &table, o->details);
    } else {
        code = listing_of(input, o->all, &listing);
        if (list_wanted(&tree, w) == 0 && w->count > 0)
            code = exit_worst(code, nothing(input, w));
    }
    if (!table_print(&table, in->out, in->colour))
        code = report_refusal(&where, "no memory for its list");
    table_free(&table);
    listing_free(&listing);
    return code;
}

/* ---- */

static void print_title(const struct invocation *in, const char *path, bool is_first)
{
    struct text title = {0};
    text_add_foreign(&title, path, strlen(path));
    fprintf(in->out, "%s%s%s%s:\n", is_first ? "" : "\n", terminal_on(in->colour),
            text_string(&title), terminal_off(in->colour));
    text_free(&title);
}

static int list(const struct invocation *in, const char *path, const struct wanted *w)
{
    struct input input;
    int code = input_open(path, INPUT_INSPECT, &input);
    if (code == EXIT_OK)
        code = in->options->json ? list_json(in, &input, w) : list_text(in, &input, w);
    input_close(&input);
    return code;
}

static bool is_file(const char *operand)
{
    return strcmp(operand, "-") == 0 || access(operand, F_OK) == 0;
}

/* Operands are files, each with the names behind it. */
static int run(const struct invocation *in)
{
    int code = EXIT_OK, files = 0;
    for (int i = 0; i < in->operand_count; i++)
        files += i == 0 || is_file(in->operands[i]);
    for (int i = 0; i < in->operand_count;) {
        const int file = i++;
        struct wanted w = {in->operands + i, 0};
        while (i < in->operand_count && !is_file(in->operands[i]))
            i++;
        w.count = i - file - 1;
        if (files > 1 && !in->options->json)
            print_title(in, in->operands[file], file == 0);
        code = exit_worst(code, list(in, in->operands[file], &w));
    }
    return code;
}

static const struct option_row rows[] = {
    {.letter = 'a',
     .name = "all",
     .help = "names that begin with a dot as well",
     .at = offsetof(struct options, all)},
    {.letter = 'l',
     .name = "long",
     .help = "bytes, buffers, offsets and full notes as well",
     .at = offsetof(struct options, details)},
    {.letter = 'r',
     .name = "recursive",
     .help = "what is in groups and composites too, as a tree",
     .at = offsetof(struct options, recursive)},
    OPTION_JSON,
    OPTION_HELP,
};

const struct command command_ls = {
    .name = "ls",
    .operands = "FILE [NAME...]...",
    .summary = "list tensors: name, type, shape, layout, size",
    .more =
        "Slashes in names make groups, and a composite is the group of its members; of\n"
        "a group its number of tensors and their size is told, or with -r all of it.\n"
        "NAME lists that tensor or group. With * ? [...] all names that match are\n"
        "listed, members included; * matches slashes too. An operand that is no file\n"
        "is a NAME in the file before it. The size is that of all buffers.\n"
        "--json lists every tensor; there is one document for each file.\n",
    .examples = "  hurray ls state.hrry\n"
                "  hurray ls -r state.hrry fields\n"
                "  hurray ls state.hrry '*/density'\n"
                "  hurray ls -lar state.hrry | less -S\n"
                "  hurray ls --json state.hrry | jq -r '.tensors[].name'\n"
                "  zcat state.hrry.gz | hurray ls -\n",
    .least = 1,
    .most = 1 << 20,
    .options = COMMAND_OPTIONS(rows),
    .run = run,
};
