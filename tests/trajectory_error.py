#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far an estimated trajectory is from the true one.

    tests/trajectory_error.py TRUTH ESTIMATE [--delta 1] [--unit frames|seconds]

Both files are in TUM's format: a line is `time tx ty tz qx qy qz qw`, seconds
and metres, and `#` starts a comment.  The measures are those of J. Sturm et al.,
"A Benchmark for the Evaluation of RGB-D SLAM Systems", IROS 2012:

ATE, the absolute error of positions, once the estimate was moved to fit the truth
best (B. K. P. Horn, JOSA A 4 (4), 1987; no scale), and once it was moved so that
the first poses agree.  RPE, the error of the motion within --delta, metres and
degrees.  Poses belong together whose times differ least, and by less than
--max-difference."""
import argparse
import bisect
import math
import sys


class Bad(Exception):
    """A file or a pair of them that cannot be used, and why."""


# ---- Poses: (position, unit quaternion w x y z) ----

def multiply(p, q):
    return (p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0])


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def turn(q, v):
    return multiply(multiply(q, (0, *v)), conjugate(q))[1:]


def chain(a, b):
    """First b, then a."""
    return (tuple(x + y for x, y in zip(turn(a[1], b[0]), a[0])),
            multiply(a[1], b[1]))


def inverse(a):
    back = conjugate(a[1])
    return tuple(-x for x in turn(back, a[0])), back


def angle_of(q):
    """Degrees."""
    return math.degrees(2 * math.atan2(math.hypot(*q[1:]), abs(q[0])))


# ---- Files ----

def read_line(line):
    numbers = [float(x) for x in line.replace(",", " ").split()]
    if len(numbers) != 8 or not all(map(math.isfinite, numbers)):
        raise ValueError
    x, y, z, w = numbers[4:]
    norm = math.hypot(w, x, y, z)
    if norm < .5:
        raise ValueError
    return numbers[0], (tuple(numbers[1:4]),
                        (w / norm, x / norm, y / norm, z / norm))


def read(path):
    """A dict from time to pose; of one time the last pose counts."""
    poses = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = list(file)
    except (OSError, UnicodeDecodeError) as error:
        raise Bad(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        try:
            time, pose = read_line(line)
        except ValueError:
            raise Bad(f"{path}, line {number}: not a time and seven numbers of "
                      "a pose") from None
        poses[time] = pose
    if not poses:
        raise Bad(f"{path} has no poses")
    return poses


def associate(truth, estimate, most=.02, offset=0.):
    """Pairs (time of the truth, time of the estimate), each time in one pair, the
    closest pairs first chosen."""
    times = sorted(truth)
    close = []
    for time in estimate:
        here = time + offset
        i = bisect.bisect_left(times, here - most)
        while i < len(times) and times[i] < here + most:
            if abs(times[i] - here) < most:
                close.append((abs(times[i] - here), times[i], time))
            i += 1
    free, left, pairs = set(truth), set(estimate), []
    for _, a, b in sorted(close):
        if a in free and b in left:
            free.remove(a)
            left.remove(b)
            pairs.append((a, b))
    return sorted(pairs)


# ---- Alignment ----

def principal(m):
    """The unit eigenvector of the greatest eigenvalue of a symmetric matrix, by
    Jacobi's rotations."""
    n = len(m)
    m = [list(row) for row in m]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    scale = max(abs(x) for row in m for x in row) or 1.
    for _ in range(50):
        if max(abs(m[i][j]) for i in range(n) for j in range(i)) < 1e-15 * scale:
            break
        for p in range(n):
            for q in range(p + 1, n):
                if m[p][q] == 0:
                    continue
                a = math.atan2(2 * m[p][q], m[q][q] - m[p][p]) / 2
                c, s = math.cos(a), math.sin(a)
                for rows in m, v:
                    for row in rows:
                        row[p], row[q] = c * row[p] - s * row[q], \
                            s * row[p] + c * row[q]
                m[p], m[q] = [c * x - s * y for x, y in zip(m[p], m[q])], \
                    [s * x + c * y for x, y in zip(m[p], m[q])]
    best = max(range(n), key=lambda i: m[i][i])
    return [row[best] for row in v]


def mean(points):
    return tuple(sum(axis) / len(points) for axis in zip(*points))


def align(to, points):
    """The pose that takes @points to @to with the least squares (Horn)."""
    a, b = mean(points), mean(to)
    s = [[sum((p[i] - a[i]) * (q[j] - b[j]) for p, q in zip(points, to))
          for j in range(3)] for i in range(3)]
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = s
    q = principal([[xx + yy + zz, yz - zy, zx - xz, xy - yx],
                   [yz - zy, xx - yy - zz, xy + yx, zx + xz],
                   [zx - xz, xy + yx, yy - xx - zz, yz + zy],
                   [xy - yx, zx + xz, yz + zy, zz - xx - yy]])
    return tuple(y - x for x, y in zip(turn(q, a), b)), tuple(q)


# ---- Measures ----

class Errors:
    """What is said about a list of errors."""

    def __init__(self, errors):
        self.n = len(errors)
        self.rmse = math.sqrt(sum(e * e for e in errors) / self.n)
        self.mean = sum(errors) / self.n
        errors = sorted(errors)
        self.median = (errors[(self.n - 1) // 2] + errors[self.n // 2]) / 2
        self.most = errors[-1]

    def __str__(self):
        return (f"rmse {self.rmse:.6f}  mean {self.mean:.6f}  "
                f"median {self.median:.6f}  max {self.most:.6f}")


def distances(poses, others):
    return [math.dist(a[0], b[0]) for a, b in zip(poses, others)]


def ate(truth, estimate, anchored=False):
    """Of two lists of poses that belong together, metres."""
    if anchored:
        move = chain(truth[0], inverse(estimate[0]))
    else:
        if len(truth) < 3:
            raise Bad("fewer than three poses of the files belong together: are "
                      "their times of the same clock?")
        move = align([p[0] for p in truth], [p[0] for p in estimate])
    return Errors(distances(truth, [chain(move, p) for p in estimate]))


def ends_of(times, delta, unit):
    """Pairs of indices @delta apart; in seconds, of the nearest times."""
    if unit == "frames":
        step = int(delta)
        return [(i, i + step) for i in range(len(times) - step)]
    pairs = []
    for i, time in enumerate(times):
        j = bisect.bisect_left(times, time + delta)
        if j == len(times):
            break
        if j > i + 1 and time + delta - times[j - 1] < times[j] - time - delta:
            j -= 1
        pairs.append((i, j))
    return pairs


def rpe(times, truth, estimate, delta=1, unit="frames"):
    """Of motion within @delta: metres, degrees."""
    ways, angles = [], []
    for i, j in ends_of(times, delta, unit):
        true = chain(inverse(truth[i]), truth[j])
        error = chain(inverse(chain(inverse(estimate[i]), estimate[j])), true)
        ways.append(math.hypot(*error[0]))
        angles.append(angle_of(error[1]))
    if not ways:
        raise Bad(f"no two poses are {delta} {unit} apart")
    return Errors(ways), Errors(angles)


def compare(truth, estimate, most=.02, offset=0.):
    """Lists of times and of poses that belong together, of two dicts."""
    pairs = associate(truth, estimate, most, offset)
    if not pairs:
        raise Bad("no poses of the two files belong together: are their times of "
                  "the same clock?")
    return [a for a, _ in pairs], [truth[a] for a, _ in pairs], \
        [estimate[b] for _, b in pairs]


def positive(text):
    value = float(text)
    if not value > 0 or math.isinf(value):
        raise argparse.ArgumentTypeError("must be a positive number")
    return value


def main():
    parser = argparse.ArgumentParser(
        description="How far an estimated trajectory is from the true one")
    parser.add_argument("truth")
    parser.add_argument("estimate")
    parser.add_argument("--max-difference", type=positive, default=.02,
                        help="seconds (0.02)")
    parser.add_argument("--offset", type=float, default=0.,
                        help="seconds, added to the estimate's times")
    parser.add_argument("--delta", type=positive, default=1.,
                        help="of the relative error (1)")
    parser.add_argument("--unit", choices=["frames", "seconds"],
                        default="frames")
    options = parser.parse_args()
    if options.unit == "frames" and options.delta != int(options.delta):
        parser.error("--delta must be a whole number of frames")
    times, truth, estimate = compare(
        read(options.truth), read(options.estimate), options.max_difference,
        options.offset)
    ways, angles = rpe(times, truth, estimate, options.delta, options.unit)
    print(f"pairs         {len(times)}")
    print(f"ATE aligned   {ate(truth, estimate)}  m")
    print(f"ATE anchored  {ate(truth, estimate, True)}  m")
    print(f"RPE           {ways}  m")
    print(f"RPE           {angles}  degrees")


if __name__ == "__main__":
    try:
        main()
    except Bad as bad:
        sys.exit(f"{sys.argv[0]}: {bad}")
