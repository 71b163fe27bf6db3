/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crc32c.c - CRC-32C by the processor's own instruction where there is one, else eight
 * bytes at a time by tables ("slicing by 8", Kounavis and Berry 2005).
 */
#include "crc32c.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_SSE42 1
#include <nmmintrin.h>
#endif

/*
 * slice[k][n] is the register after byte n and k zero bytes. The CRC is linear: an entry
 * is the sum of those of its bits, so eight numbers define a table of 256.
 */
#define BIT(n, i, b) ((((n) >> (i)) & 1) != 0 ? (b) : 0)
#define ENTRY(n, b0, b1, b2, b3, b4, b5, b6, b7)                                           \
    (BIT(n, 0, b0) ^ BIT(n, 1, b1) ^ BIT(n, 2, b2) ^ BIT(n, 3, b3) ^ BIT(n, 4, b4) ^       \
     BIT(n, 5, b5) ^ BIT(n, 6, b6) ^ BIT(n, 7, b7))
#define FOUR(n, ...)                                                                       \
    ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__),       \
        ENTRY((n) + 3, __VA_ARGS__)
#define SIXTEEN(n, ...)                                                                    \
    FOUR(n, __VA_ARGS__), FOUR((n) + 4, __VA_ARGS__), FOUR((n) + 8, __VA_ARGS__),          \
        FOUR((n) + 12, __VA_ARGS__)
#define SIXTY_FOUR(n, ...)                                                                 \
    SIXTEEN(n, __VA_ARGS__), SIXTEEN((n) + 16, __VA_ARGS__),                               \
        SIXTEEN((n) + 32, __VA_ARGS__), SIXTEEN((n) + 48, __VA_ARGS__)
#define TABLE(...)                                                                         \
    SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__), \
        SIXTY_FOUR(192, __VA_ARGS__)

static const uint32_t slice[8][256] = {
    [0] = {TABLE(0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF, 0x105EC76F, 0x20BD8EDE,
                 0x417B1DBC, 0x82F63B78)},
    [1] = {TABLE(0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8, 0x3FC5F181, 0x7F8BE302,
                 0xFF17C604, 0xFBC3FAF9)},
    [2] = {TABLE(0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5, 0x70A27D8A, 0xE144FB14,
                 0xC76580D9, 0x8B277743)},
    [3] = {TABLE(0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6, 0xE964B13D, 0xD725148B,
                 0xABA65FE7, 0x52A0C93F)},
    [4] = {TABLE(0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91, 0x8F2261D3, 0x1BA8B557,
                 0x37516AAE, 0x6EA2D55C)},
    [5] = {TABLE(0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F, 0xC00C303E, 0x85F4168D,
                 0x0E045BEB, 0x1C08B7D6)},
    [6] = {TABLE(0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53, 0x9C5BFAA6, 0x3D5B83BD,
                 0x7AB7077A, 0xF56E0EF4)},
    [7] = {TABLE(0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA, 0x847609B4, 0x0D006599,
                 0x1A00CB32, 0x34019664)},
};

static uint64_t load_le64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static uint32_t by_table(uint32_t crc, const uint8_t *p, size_t size)
{
    for (; size >= 8; p += 8, size -= 8) {
        const uint64_t v = load_le64(p) ^ crc;
        crc = slice[7][v & 0xFF] ^ slice[6][v >> 8 & 0xFF] ^ slice[5][v >> 16 & 0xFF] ^
              slice[4][v >> 24 & 0xFF] ^ slice[3][v >> 32 & 0xFF] ^
              slice[2][v >> 40 & 0xFF] ^ slice[1][v >> 48 & 0xFF] ^ slice[0][v >> 56];
    }
    for (; size > 0; p++, size--)
        crc = crc >> 8 ^ slice[0][(crc ^ *p) & 0xFF];
    return crc;
}

#if defined(HAVE_SSE42)
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const uint8_t *p, size_t size)
{
    uint64_t wide = crc;
    for (; size >= 8; p += 8, size -= 8)
        wide = _mm_crc32_u64(wide, load_le64(p));
    crc = (uint32_t)wide;
    for (; size > 0; p++, size--)
        crc = _mm_crc32_u8(crc, *p);
    return crc;
}
#endif

uint32_t hry_crc32c_portable(uint32_t previous, const void *bytes, size_t size)
{
    return ~by_table(~previous, bytes, size);
}

uint32_t hry_crc32c(uint32_t previous, const void *bytes, size_t size)
{
#if defined(HAVE_SSE42)
    if (__builtin_cpu_supports("sse4.2"))
        return ~by_instruction(~previous, bytes, size);
#endif
    return hry_crc32c_portable(previous, bytes, size);
}
