/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text file beside an ENVI cube that says how its numbers lie. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_ENVI_BSQ, /* band after band */
  GST_ENVI_BIL, /* of each line, band after band */
  GST_ENVI_BIP, /* of each pixel, band after band */
} GstEnviInterleave;

/* ENVI's own numbers of its data types. */
typedef enum {
  GST_ENVI_U8 = 1,
  GST_ENVI_I16 = 2,
  GST_ENVI_I32 = 3,
  GST_ENVI_F32 = 4,
  GST_ENVI_F64 = 5,
  GST_ENVI_U16 = 12,
  GST_ENVI_U32 = 13,
} GstEnviType;

typedef struct {
  guint samples, lines, bands; /* columns, rows, channels: 1 to 65535 each */
  guint64 offset;              /* bytes before the first number */
  GstEnviInterleave interleave;
  GstEnviType type;
  gboolean big_endian;
  GArray *wavelengths; /* gdouble, in the header's own unit, one a band; empty
                          where the header does not say */
} GstEnviHeader;

/* Reads the header @path; FALSE and @error if it cannot be used; @header is
 * then empty. */
gboolean gst_envi_header_read (
    GstEnviHeader *header, const gchar *path, GError **error);
void gst_envi_header_clear (GstEnviHeader *header);

/* Bytes of a number. */
guint gst_envi_header_bytes (const GstEnviHeader *header);

G_END_DECLS
