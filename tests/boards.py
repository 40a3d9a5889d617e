# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chessboards by OpenCV; without it, the test that imports this is skipped."""
import sys

try:
    import cv2
except ImportError:
    print("SKIP: no OpenCV for Python")
    sys.exit(77)

BOARD = 9, 6


def corners(grey, reach=5):
    """Of the inner squares, to a part of a pixel, in the shape (n, 1, 2), which
    OpenCV 5 no longer has; None without a board."""
    found, seen = cv2.findChessboardCorners(grey, BOARD)
    until = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 30, 1e-3)
    return cv2.cornerSubPix(grey, seen, (reach, reach), (-1, -1),
                            until).reshape(-1, 1, 2) if found else None


def corners_of(path, reach=5):
    return corners(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), reach)
