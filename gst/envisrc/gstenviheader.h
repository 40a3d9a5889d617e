/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of an ENVI cube: the text file that describes the cube's numbers.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_ENVI_BSQ, /* all bands of the cube, one after the other */
  GST_ENVI_BIL, /* line by line, all bands of the line */
  GST_ENVI_BIP, /* pixel by pixel, all bands of the pixel */
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
                          if the header has none */
} GstEnviHeader;

/* Reads the header @path; FALSE and @error if it cannot be used; @header is
 * then empty. */
gboolean gst_envi_header_read (
    GstEnviHeader *header, const gchar *path, GError **error);
void gst_envi_header_clear (GstEnviHeader *header);

/* Bytes of a number. */
guint gst_envi_header_bytes (const GstEnviHeader *header);

G_END_DECLS
