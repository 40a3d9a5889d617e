/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PNG pictures of depth and of colour. */
#pragma once

/* Returns the pixels of the PNG file @path, row after row, to be freed by free
 * (); NULL if it cannot be read.  The picture has @bits and @channels: 16 and
 * 1, grey values, or 8 and 3, colours; palettes and grey values become colours,
 * and alpha is dropped.  At most 8192 pixels a side.  Memory for the pixels is
 * allocated when the head of the file says that the picture has this form. */
const char *picture_read (const char *path, int bits, int channels, int *width,
    int *height, void **pixels);
