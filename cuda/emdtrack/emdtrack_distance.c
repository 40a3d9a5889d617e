/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ground distances as integers. */
#include <math.h>

#include "emdtrack/emdtrack_work.h"

/* Limits of the maximum ground distance and of a saturation, so that the scale
 * to integers is finite and not 0. */
#define LEAST 1e-300
#define MOST 1e300

/* Bins on a line or circle: places are rounded instead of distances, so that
 * rounded distances still add up. */
typedef struct {
  int place[EMDTRACK_BINS], around, limit; /* limit: saturation */
} EmdtrackPlaces;

static bool
has_positions (const EmdtrackParams *p)
{
  for (int i = 0; i < p->bins; i++)
    if (p->positions[i] != 0)
      return true;
  return false;
}

static double
bin_position (const EmdtrackParams *p, int i)
{
  return has_positions (p) ? p->positions[i] - p->positions[0] : i;
}

static double
circle_length (const EmdtrackParams *p)
{
  double last = bin_position (p, p->bins - 1);

  return p->circumference > 0 ? p->circumference
                              : last * p->bins / (p->bins - 1);
}

static bool
has_places (const EmdtrackParams *p)
{
  return p->distance == EMDTRACK_LINE || p->distance == EMDTRACK_CIRCLE;
}

static double
farthest_distance (const EmdtrackParams *p, double max)
{
  return p->saturation > 0 && p->saturation < max ? p->saturation : max;
}

static double
entry_distance (const EmdtrackCodebook *book, int i, int j)
{
  double sum = 0;

  for (int c = 0; c < book->dims; c++) {
    double e = (double) book->centre[i][c] - book->centre[j][c];

    sum += e * e;
  }
  return sqrt (sum);
}

static double
given_distance (const EmdtrackParams *p, int i, int j)
{
  double d = p->distance == EMDTRACK_MATRIX
      ? p->matrix[i][j]
      : entry_distance (p->codebook, i, j);

  return farthest_distance (p, d);
}

/* The scale from ground distances to integers; 1 if all distances are small
 * whole numbers. */
static double
integer_scale (double max, bool whole)
{
  return whole && max <= EMDTRACK_FARTHEST ? 1 : EMDTRACK_FARTHEST / max;
}

static double
place_bins (const EmdtrackParams *p, EmdtrackPlaces *at)
{
  double around = circle_length (p), last = bin_position (p, p->bins - 1),
         scale;
  double reach = p->distance == EMDTRACK_CIRCLE ? around / 2 : last;
  bool whole = p->saturation == floor (p->saturation) &&
      (p->distance == EMDTRACK_LINE || around == floor (around));

  for (int i = 0; i < p->bins; i++)
    whole = whole && bin_position (p, i) == floor (bin_position (p, i));
  scale = integer_scale (reach, whole);
  for (int i = 0; i < p->bins; i++)
    at->place[i] = (int) floor (bin_position (p, i) * scale + .5);
  if (p->distance == EMDTRACK_CIRCLE)
    at->around = (int) floor (around * scale + .5);
  at->limit = (int) floor (farthest_distance (p, reach) * scale + .5);
  at->limit = p->saturation > 0 && at->limit < 1 ? 1 : at->limit;
  return scale;
}

static int
distance_of_places (
    const EmdtrackParams *p, const EmdtrackPlaces *at, int i, int j)
{
  int d = emdtrack_abs (at->place[i] - at->place[j]);

  if (p->distance == EMDTRACK_CIRCLE && at->around - d < d)
    d = at->around - d;
  return p->saturation > 0 && d > at->limit ? at->limit
      : d > EMDTRACK_FARTHEST               ? EMDTRACK_FARTHEST
                                            : d;
}

static double
scale_matrix (const EmdtrackParams *p)
{
  double max = 0;
  bool whole = true;

  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++) {
      double d = given_distance (p, i, j);

      max = d > max ? d : max;
      whole = whole && d == floor (d);
    }
  return max > 0 ? integer_scale (max, whole) : 1;
}

void
emdtrack_set_distances (const EmdtrackParams *p,
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS], double *scale)
{
  EmdtrackPlaces at = {{0}, 0, 0};

  memset (distances, 0, EMDTRACK_BINS * EMDTRACK_BINS);
  *scale = has_places (p) ? place_bins (p, &at) : scale_matrix (p);
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++) {
      /* rounded up, so that a metric remains a metric */
      double d = has_places (p)
          ? distance_of_places (p, &at, i, j)
          : ceil (given_distance (p, i, j) * *scale - 1e-9);

      distances[i][j] =
          (uint8_t) (d < EMDTRACK_FARTHEST ? d : EMDTRACK_FARTHEST);
    }
}

static const char *
check_positions (const EmdtrackParams *p)
{
  for (int i = 0; i < p->bins; i++)
    if (!isfinite (p->positions[i]))
      return "positions must be numbers";
  if (has_positions (p))
    for (int i = 1; i < p->bins; i++)
      if (p->positions[i] <= p->positions[i - 1])
        return "positions must ascend from bin to bin";
  if (!(bin_position (p, p->bins - 1) >= LEAST) ||
      bin_position (p, p->bins - 1) > MOST)
    return "the first and the last position must be 1e-300 to 1e300 apart";
  if (!(p->circumference >= 0) || isinf (p->circumference))
    return "the circumference must be a number, 0 or more";
  if (p->distance == EMDTRACK_CIRCLE && p->circumference > 0 &&
      p->circumference <= bin_position (p, p->bins - 1))
    return "the circumference must exceed the distance from the first position "
           "to the last";
  return NULL;
}

static const char *
check_matrix (const EmdtrackParams *p)
{
  double max = 0;

  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++) {
      if (!(p->matrix[i][j] >= 0) || isinf (p->matrix[i][j]))
        return "ground distances must be numbers, 0 or more";
      if (p->matrix[i][j] != p->matrix[j][i])
        return "the matrix of ground distances must be symmetric";
      max = p->matrix[i][j] > max ? p->matrix[i][j] : max;
    }
  return max >= LEAST
      ? NULL
      : "some ground distance must exceed 0, by 1e-300 at least";
}

const char *
emdtrack_check_distance (const EmdtrackParams *p)
{
  if (!(p->saturation >= 0) || isinf (p->saturation))
    return "the saturation must be a number, 0 or more";
  if (p->saturation > 0 && p->saturation < LEAST)
    return "the saturation must be 0, or at least 1e-300";
  switch (p->distance) {
    case EMDTRACK_LINE:
    case EMDTRACK_CIRCLE:
      return check_positions (p);
    case EMDTRACK_EUCLIDEAN:
      return p->codebook ? NULL
                         : "a Euclidean ground distance needs a codebook";
    case EMDTRACK_MATRIX:
      return check_matrix (p);
  }
  return "unknown ground distance";
}
