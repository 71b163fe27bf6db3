/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - see option.h. */
#include "option.h"

#include "report.h"

#include <string.h>

/* Where parsing is. */
struct parser {
    const struct option_table *table;
    const char *command;
    int argc, next;
    char **argv;
    struct options *out;
};

static void set_flag(struct options *out, const struct option_row *row)
{
    const bool yes = true;
    memcpy((char *)out + row->at, &yes, sizeof yes);
}

static void set_value(struct options *out, const struct option_row *row, const char *value)
{
    memcpy((char *)out + row->at, &value, sizeof value);
}

/* joined: the value in the same word, or NULL. */
static bool apply(struct parser *p, const struct option_row *row, const char *joined)
{
    if (row->value == NULL) {
        if (joined != NULL)
            return report_usage(p->command, "option --%s takes no value", row->name);
        set_flag(p->out, row);
        return true;
    }
    if (joined == NULL && p->next == p->argc)
        return report_usage(p->command, "option --%s needs a value: %s", row->name,
                            row->value);
    set_value(p->out, row, joined != NULL ? joined : p->argv[p->next++]);
    return true;
}

static bool long_option(struct parser *p, const char *word)
{
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < p->table->count; i++) {
        const struct option_row *row = &p->table->rows[i];
        if (strlen(row->name) == length && strncmp(row->name, word, length) == 0)
            return apply(p, row, word[length] == '=' ? word + length + 1 : NULL);
    }
    return report_usage(p->command, "unknown option '--%s'", word);
}

static bool short_options(struct parser *p, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const struct option_row *row = NULL;
        for (size_t i = 0; i < p->table->count && row == NULL; i++)
            if (p->table->rows[i].letter == *letters)
                row = &p->table->rows[i];
        if (row == NULL)
            return report_usage(p->command, "unknown option '-%c'", *letters);
        const bool takes_rest = row->value != NULL && letters[1] != '\0';
        if (!apply(p, row, takes_rest ? letters + 1 : NULL))
            return false;
        if (takes_rest)
            return true;
    }
    return true;
}

bool option_parse(const struct option_table *table, const char *command, int argc,
                  char **argv, struct options *out, int *operand_count)
{
    struct parser p = {table, command, argc, 0, argv, out};
    bool only_operands = false;
    *operand_count = 0;
    while (p.next < argc) {
        char *word = argv[p.next++];
        if (only_operands || word[0] != '-' || word[1] == '\0')
            argv[(*operand_count)++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (!(word[1] == '-' ? long_option(&p, word + 2)
                                  : short_options(&p, word + 1)))
            return false;
    }
    return true;
}

void option_print(const struct option_table *table, FILE *out)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct option_row *row = &table->rows[i];
        char name[48];
        snprintf(name, sizeof name, "%c%c%s--%s%s%s", row->letter != 0 ? '-' : ' ',
                 row->letter != 0 ? row->letter : ' ', row->letter != 0 ? ", " : "  ",
                 row->name, row->value != NULL ? " " : "",
                 row->value != NULL ? row->value : "");
        fprintf(out, "  %-22s %s\n", name, row->help);
    }
}
