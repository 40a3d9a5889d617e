/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PNG pictures of depth and of colour. */
#pragma once

/* Pixels of the PNG file @path, row after row, to be freed; NULL where it
 * cannot be read.  @bits and @channels are what it must have: 16 and 1, of
 * grey, or 8 and 3, of colours, which palettes and grey become and alpha is
 * taken from.  At most 8192 pixels a side; room is made when the head of the
 * file says that it is such a picture. */
const char *picture_read (const char *path, int bits, int channels, int *width,
    int *height, void **pixels);
