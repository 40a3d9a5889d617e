#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""emdtrack's values against public solvers: OpenCV's EMD, POT, SciPy's HiGHS,
whichever of them are installed.  $1: the program test-emdtrack.

OpenCV computes in float32 and stops at 1e-5 of the greatest distance; the
others in float64."""
import subprocess
import sys

N = 400


def opencv():
    import cv2
    import numpy as np

    def emd(s, d, c):
        # weights of 0 are dropped there, distances stay in their rows
        return cv2.EMD(np.array(s, np.float32)[:, None],
                       np.array(d, np.float32)[:, None], cv2.DIST_USER,
                       np.array(c, np.float32))[0] * sum(s)
    return emd, 1e-4


def pot():
    import numpy as np
    import ot

    def emd(s, d, c):
        return ot.emd2(np.array(s, float), np.array(d, float),
                       np.array(c, float))
    return emd, 1e-9


def highs():
    import numpy as np
    from scipy.optimize import linprog

    def emd(s, d, c):
        n = len(s)
        rows = np.kron(np.eye(n), np.ones(n))
        columns = np.kron(np.ones(n), np.eye(n))
        return linprog(np.array(c, float).ravel(), A_eq=np.vstack([rows, columns]),
                       b_eq=s + d, method="highs").fun
    return emd, 1e-7


def peers():
    for make in opencv, pot, highs:
        try:
            yield make.__name__, *make()
        except ImportError:
            print(f"{make.__name__}: not installed")


def problems(program):
    lines = subprocess.run([program, "--print", str(N)], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    for line in lines:
        v = [int(x) for x in line.split()]
        n, v = v[0], v[2:]
        s, d, c, value = v[:n], v[n:2 * n], v[2 * n:-1], v[-1]
        yield s, d, [c[i * n:(i + 1) * n] for i in range(n)], value


def main():
    found = list(peers())
    if not found:
        sys.exit(77)
    wrong = count = 0
    for s, d, c, value in problems(sys.argv[1]):
        count += 1
        for name, emd, tolerance in found:
            theirs = emd(s, d, c)
            if abs(theirs - value) > tolerance * max(1, value):
                print(f"{name}: {theirs}, not {value}: {s} {d} {c}")
                wrong += 1
    print(f"{count} problems, {len(found)} peers, {wrong} differ")
    sys.exit(1 if wrong or count != N else 0)


if __name__ == "__main__":
    main()
