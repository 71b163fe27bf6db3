/* SPDX-License-Identifier: Apache-2.0 */
/* hry/hry.h - everything: includes the other headers, nothing else. */
#ifndef HRY_HRY_H
#define HRY_HRY_H

#include "hry/api.h"
#include "hry/box_index.h"
#include "hry/buffer.h"
#include "hry/composite.h"
#include "hry/convert.h"
#include "hry/crc32c.h"
#include "hry/descriptor.h"
#include "hry/dlpack.h"
#include "hry/dtype.h"
#include "hry/error.h"
#include "hry/file.h"
#include "hry/io.h"
#include "hry/kv.h"
#include "hry/layout.h"
#include "hry/message.h"
#include "hry/pack.h"
#include "hry/quant.h"
#include "hry/reader.h"
#include "hry/region.h"
#include "hry/remote.h"
#include "hry/server.h"
#include "hry/session.h"
#include "hry/statistics.h"
#include "hry/stream.h"
#include "hry/tensor.h"
#include "hry/tiling.h"
#include "hry/transcode.h"
#include "hry/writer.h"

#endif
