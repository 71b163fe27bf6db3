/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - what is in an open container: objects, links, attributes, and where their
 * data lies. Knows core, but neither HDF5 nor MPI: encoded datatypes and property lists
 * are bytes here.
 */
#ifndef HVOL_TREE_H
#define HVOL_TREE_H

#include "blob.h"
#include "chunks.h"
#include "heap.h"
#include "names.h"
#include "space.h"
#include "store.h"

typedef struct hvol_tree hvol_tree;
typedef struct hvol_node hvol_node;
typedef struct hvol_dataset hvol_dataset;

/* ---- links ---- */

typedef enum hvol_link_kind {
    HVOL_LINK_HARD = 0, /* as HDF5's H5L_type_t */
    HVOL_LINK_SOFT = 1,
    HVOL_LINK_EXTERNAL = 64 /* 65..255: user-defined */
} hvol_link_kind;

typedef struct hvol_link {
    hvol_named named;  /* first: links live in a hvol_names */
    hvol_node *group;  /* the group it is in */
    hvol_node *target; /* hard: counted in target->links */
    void *value;       /* soft: path, NUL-terminated; others: bytes; owned */
    size_t value_size; /* in BYTES; soft: with the NUL */
    uint8_t kind;      /* hvol_link_kind */
} hvol_link;

/* ---- attributes ---- */

typedef struct hvol_attr {
    hvol_named named; /* first */
    hvol_node *owner; /* NULL once deleted */
    hvol_blob *type;
    hvol_node *named_type; /* counted in its `links`, or NULL */
    hvol_space space;
    hvol_blob *plist; /* creation properties, or NULL for the defaults */
    uint8_t *data;    /* owned; NULL while never written: zeros */
    size_t size;      /* of the data, in BYTES */
    hvol_heap *heap;  /* of variable-length values, in memory; owned, or NULL */
    uint32_t opens;
} hvol_attr;

/* ---- objects ---- */

typedef enum hvol_kind { HVOL_GROUP = 0, HVOL_DATASET = 1, HVOL_TYPE = 2 } hvol_kind;

struct hvol_dataset {
    hvol_blob *type;       /* encoded; NULL for a tensor no HDF5 program made */
    hvol_node *named_type; /* committed type, counted in its `links`, or NULL */
    hvol_space space;
    hvol_element element;
    hvol_blob *fill; /* one element as stored; NULL: zeros */
    bool fill_never; /* unwritten parts may hold anything */
    hvol_storage storage;
    hvol_chunks *chunks;    /* NULL: contiguous; owned */
    hvol_heap *heap;        /* of variable-length elements; owned, or NULL */
    bool foreign;           /* stored otherwise: see foreign.h */
    struct hvol_view *view; /* of a foreign tensor that was read; owned, or NULL */
};

struct hvol_node {
    uint64_t id; /* >= 1; never reused; the object's token */
    hvol_kind kind;
    uint32_t links;   /* hard links, and uses of a committed type */
    uint32_t opens;   /* handles on it in this process */
    hvol_link *home;  /* the link that names it, or NULL */
    int64_t times[4]; /* access, modification, change, birth; seconds; 0: not kept */
    bool track_times;
    bool mounted; /* another container takes its place in paths */
    hvol_names attrs;
    hvol_blob *plist; /* creation properties; NULL for the defaults */
    char *comment;    /* owned, or NULL */
    hvol_node *next_dying;
    uint32_t seen_links; /* links and uses met while loading */
    union {
        hvol_names links;     /* HVOL_GROUP: of hvol_link */
        hvol_dataset dataset; /* HVOL_DATASET */
        hvol_blob *type;      /* HVOL_TYPE: encoded */
    } u;
};

struct hvol_tree {
    hvol_store *store;
    hvol_blobs blobs;
    hvol_node **slots; /* open addressing by id; a power of two of them */
    uint64_t node_count, slot_count, next_id;
    hvol_node *root;
    hvol_blob *file_plist; /* NULL for the defaults */
    hvol_heap *heap; /* where values that are being converted lie, during a transfer */
    hvol_store *heap_store;
    bool dirty;       /* something a commit would write has changed */
    hvol_node *dying; /* objects to be freed, while `dropping` */
    bool dropping;
    uint64_t *kept; /* rows of the loaded index that HDF5 cannot show; owned */
    uint64_t kept_count;
};

/* An empty container over `store`, which the tree owns from then on, on failure too. */
hry_status hvol_tree_new(hvol_store *store, hvol_tree **out, hry_error *err);

/* What the store's file holds. The store is the tree's from then on, on failure too. */
hry_status hvol_tree_load(hvol_store *store, hvol_tree **out, hry_error *err);
/* The part of it that reads: the catalog, and tensors it does not know (load.c). */
hry_status hvol_tree_fill(hvol_tree *tree, hry_error *err);

/* Write what changed, so that the file on disk is what the tree is (commit.c). */
hry_status hvol_tree_commit(hvol_tree *tree, hry_error *err);

/* Without committing. NULL is allowed. */
void hvol_tree_free(hvol_tree *tree);

/* ---- nodes (node.c) ---- */

/* A new object without links, open once for the caller (hvol_node_release). */
hry_status hvol_node_new(hvol_tree *tree, hvol_kind kind, hvol_node **out, hry_error *err);
/* The same with a given id, which must be free and not 0; not open. */
hry_status hvol_node_restore(hvol_tree *tree, hvol_kind kind, uint64_t id, hvol_node **out,
                             hry_error *err);
/* The object of that id, or NULL. */
hvol_node *hvol_node_by_id(const hvol_tree *tree, uint64_t id);
void hvol_node_retain(hvol_node *node);
/* Drops the object once nothing links to it and nobody has it open. */
void hvol_node_release(hvol_tree *tree, hvol_node *node);
/* One link or use less; `node` may be NULL. */
void hvol_node_unlink(hvol_tree *tree, hvol_node *node);
/* Now, if its times are kept. */
void hvol_node_touch(hvol_tree *tree, hvol_node *node);

/* Path of a node such as "/a/b" by home links into `buffer` (like snprintf: returns the
 * length without NUL, 0 when the node cannot be reached by home links). */
size_t hvol_node_path(const hvol_tree *tree, const hvol_node *node, char *buffer,
                      size_t size);

/* ---- links (link.c) ---- */

/* `group` must be a group. NULL when there is none. */
hvol_link *hvol_link_find(const hvol_node *group, const char *name, size_t length);

/*
 * A link `name` in `group`: hard to `target`, or of another kind with a value that is
 * copied. HRY_ERR_ARG when the name is taken.
 */
hry_status hvol_link_add(hvol_tree *tree, hvol_node *group, const char *name, size_t length,
                         uint8_t cset, uint8_t kind, hvol_node *target, const void *value,
                         size_t value_size, hvol_link **out, hry_error *err);
void hvol_link_remove(hvol_tree *tree, hvol_link *link);

/* ---- attributes (attr.c) ---- */

hvol_attr *hvol_attr_find(const hvol_node *node, const char *name);
/* Adds it, open once for the caller. HRY_ERR_ARG when the name is taken. */
hry_status hvol_attr_new(hvol_tree *tree, hvol_node *node, const char *name, uint8_t cset,
                         hvol_attr **out, hry_error *err);
/* From its object; freed when nobody has it open. */
void hvol_attr_remove(hvol_tree *tree, hvol_attr *attr);
void hvol_attr_release(hvol_tree *tree, hvol_attr *attr);
hry_status hvol_attr_rename(hvol_tree *tree, hvol_attr *attr, const char *name,
                            hry_error *err);

/* ---- paths (path.c) ---- */

enum { HVOL_NO_FOLLOW = 1 << 0 /* the last component's link itself is meant */ };

/* Where a path leads. */
typedef struct hvol_found {
    hvol_node *group; /* the group of the last component; NULL for "/" and "." */
    hvol_link *link;  /* the last component's link; NULL when missing or no component */
    hvol_node *node;  /* the object; NULL when missing, dangling or not followed */
    const char *name; /* last component, in `path` or in `buffer` */
    size_t name_length;
    bool foreign; /* `link` leads out of this container, or to a mount point (`node`), to
                   * be followed by the caller */
    const char *rest; /* foreign: the path that remains behind it; "" when none */
    char *buffer;     /* owned: hvol_found_clear() */
} hvol_found;

/*
 * Walk `path` from `start`. Missing last components are no error (node and link NULL);
 * a missing or wrong one before is: HRY_ERR_NOTFOUND. At most *links_left soft links are
 * followed, and subtracted from it.
 */
hry_status hvol_walk(hvol_tree *tree, hvol_node *start, const char *path, unsigned flags,
                     unsigned *links_left, hvol_found *out, hry_error *err);
void hvol_found_clear(hvol_found *found);

/* ---- data of a dataset (data.c): offsets and sizes in BYTES of the stored form ---- */

/* Find where a dataset's data lies, when it was loaded and not touched yet. */
hry_status hvol_data_resolve(hvol_tree *tree, hvol_node *node, hry_error *err);

/* How much of the data is about to be written. */
typedef enum hvol_coverage { HVOL_SOME, HVOL_MUCH, HVOL_ALL } hvol_coverage;

/* Room for the data, and the fill value where not all of it is about to be written. */
hry_status hvol_data_allocate(hvol_tree *tree, hvol_node *node, hvol_coverage coverage,
                              hry_error *err);

/* Room for all of the data now, as H5D_ALLOC_TIME_EARLY asks. */
hry_status hvol_data_allocate_early(hvol_tree *tree, hvol_node *node, hry_error *err);

/* `size` bytes of fill value, as at `offset` of the data. */
void hvol_fill(const hvol_dataset *dataset, uint64_t offset, uint8_t *dst, size_t size);

/* Bytes in the file that hold data of the dataset: 0 while nothing was written. */
hry_status hvol_data_stored_size(hvol_tree *tree, hvol_node *node, uint64_t *size,
                                 hry_error *err);

hry_status hvol_data_read(hvol_tree *tree, hvol_node *node, uint64_t offset, void *dst,
                          size_t size, hry_error *err);
hry_status hvol_data_write(hvol_tree *tree, hvol_node *node, uint64_t offset,
                           const void *src, size_t size, hry_error *err);

/* Total bytes of the stored form; HRY_ERR_RANGE when that does not fit 64 bits. */
hry_status hvol_data_size(const hvol_dataset *dataset, uint64_t *size, hry_error *err);

/* ---- descriptors and the catalog (describe.c, catalog_*.c) ---- */

/* Length in BYTES of the descriptor that a dataset with data in the file has. */
uint32_t hvol_descriptor_length(const hvol_dataset *dataset);

/* The storage that the index shows for a dataset: its data, or the table of its chunks. */
hvol_storage *hvol_row(hvol_dataset *dataset);
/* What the index says of it is not so any more; a new descriptor will be written. */
void hvol_row_outdated(hvol_dataset *dataset);

/* The descriptor of a dataset as it is stored now. */
hry_status hvol_describe(const hvol_dataset *dataset, hry_descriptor *out, hry_error *err);

#define HVOL_CATALOG_NAME ".hdf5/catalog"
#define HVOL_SIGNATURE_NAME ".hdf5/signature"

#endif
