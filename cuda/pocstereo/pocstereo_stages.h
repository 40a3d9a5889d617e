/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages.  Each declaration lists the input (In), the output (Out) and the
 * scratch of its stage, and cites the paper; a stage without a citation is not
 * in the paper.  Memory is the device's unless a comment says otherwise;
 * pocstereo.c owns all memory.  View 0 is the left view, view 1 the right view;
 * seen from view 1, disparities have the other sign. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* ---- The data that flow from stage to stage ---- */

/* The layers of both views; layer 0 is the finest. */
typedef struct {
  int n_layers;
  PocstereoLayer layer[2][POCSTEREO_MAX_LAYERS]; /* as seen from each view */
  const uint16_t *view[2][POCSTEREO_MAX_LAYERS]; /* layer 0: the frame's own */
  int stride[POCSTEREO_MAX_LAYERS];              /* samples */
} PocstereoPyramid;

/* The memory of a pyramid's layers 1 and up. */
typedef struct {
  uint16_t *view[2][POCSTEREO_MAX_LAYERS];
} PocstereoCoarser;

/* The constants of a window in the memory of the host and of the device. */
typedef struct {
  const PocstereoTables *host, *device;
} PocstereoConstants;

/* Phasors of every pixel of some layers, in the layout of the backend. */
typedef struct {
  uint32_t layers; /* the layers that have phasors, a bit each */
  int8_t *phasors[2][POCSTEREO_MAX_LAYERS];
  /* on the GPU: distances from one pair of lines, one pixel and one couple of
   * frequencies to the next, in couples (pocstereo_cuda.cuh) */
  int pitch[POCSTEREO_MAX_LAYERS];
  int across[POCSTEREO_MAX_LAYERS], deeper[POCSTEREO_MAX_LAYERS];
} PocstereoFields;

/* The points of a frame, and the other input of their matching. */
typedef struct {
  const PocstereoPyramid *pyramid;
  PocstereoConstants constants;
  const PocstereoPoint *points; /* n, in pinned memory of the host */
  int n;
  uint16_t min_peak;       /* as in a match */
  PocstereoMatch *matches; /* n, in pinned memory of the host */
} PocstereoAsked;

/* The matches of every pixel, in rows of `width` pixels. */
typedef struct {
  int width, height;
  int n_views; /* 1: the left view alone is matched */
  PocstereoMatch *view[2];
} PocstereoDenseMatches;

/* The census of every pixel, in rows as long as those of the layer. */
typedef struct {
  uint64_t *view[2];
} PocstereoCensuses;

/* The offers among which a pixel chooses along paths (pocstereo_paths_core.h);
 * rows of `width` pixels. */
typedef struct {
  int32_t *offer[2];        /* POCSTEREO_KEPT a pixel */
  uint16_t *donors[2];      /* of the offers */
  uint16_t *sum[2];         /* POCSTEREO_KEPT costs a pixel, over all paths */
  PocstereoMatch *match[2]; /* of each pixel as a donor */
  int32_t *median[2];       /* the disparity that it offers */
} PocstereoOffers;

/* Numbers a pixel that suffice as scratch for any stage.  Scratch keeps nothing
 * from stage to stage. */
#define POCSTEREO_SCRATCH 6

/* ---- Layout ---- */

/* Points @fields at the phasors of all layers in @memory, or at NULL if that is
 * NULL, and returns their bytes.  @every_pixel: neighbouring pixels are matched
 * together. */
typedef size_t PocstereoLayFields (const PocstereoPyramid *pyramid,
    const PocstereoTables *host_tables, bool every_pixel, int8_t *memory,
    PocstereoFields *fields);

/* The layers, a bit each, in which the phasors of all pixels are less work than
 * those of the windows of @n_points points. */
typedef uint32_t PocstereoCrowdedLayers (const PocstereoPyramid *pyramid,
    const PocstereoTables *host_tables, int n_points);

/* ---- The stages ---- */

/* Step 1, the means of 2 x 2 samples.  In: layer 0 of @pyramid.  Out: @coarser,
 * its other layers. */
typedef const char *PocstereoPyramidStage (const Device *dev,
    const PocstereoPyramid *pyramid, PocstereoCoarser *coarser);

/* Equation 1 and windowing (section 2).  In: @pyramid, @constants,
 * fields->layers.  Out: the phasors of these layers. */
typedef const char *PocstereoPhasorsStage (const Device *dev,
    const PocstereoPyramid *pyramid, const PocstereoConstants *constants,
    PocstereoFields *fields);

/* Means over frames.  In and out, @n numbers each: @phasors of the newest of
 * @frames frames, which become the means; @means, with more bits. */
typedef const char *PocstereoAverageStage (
    const Device *dev, size_t n, int frames, int16_t *means, int8_t *phasors);

/* Steps 2 to 7 at points.  In: @asked; @fields of some layers, which replace
 * the phasors of windows there.  Out: asked->matches. */
typedef const char *PocstereoPointsStage (const Device *dev,
    const PocstereoAsked *asked, const PocstereoFields *fields);

/* Steps 2 to 7 at every pixel.  In: @pyramid, @fields of all layers,
 * @constants, the number of @candidates that a pixel tries.  Out: @matches of
 * each view.  Scratch: disparities and heights of the correlation in a layer,
 * and disparities of the layer above.
 *
 * @final_min_peak, here and in the next stages: matches with a lower peak are
 * dropped, since a pass of its own would cost a launch.  0 if a later stage
 * still changes peaks. */
typedef const char *PocstereoDenseStage (const Device *dev,
    const PocstereoPyramid *pyramid, const PocstereoFields *fields,
    const PocstereoConstants *constants, int candidates,
    uint16_t final_min_peak, int32_t *scratch, PocstereoDenseMatches *matches);

/* Census transforms.  In: @frame.  Out: @census. */
typedef const char *PocstereoCensusStage (
    const Device *dev, const PocstereoFrame *frame, PocstereoCensuses *census);

/* Pixels near edges choose again.  In: @census.  In and out: @matches of each
 * view.  Scratch: disparities, their medians, and the matches between two
 * rounds. */
typedef const char *PocstereoRevoteStage (const Device *dev,
    const PocstereoCensuses *census, uint16_t final_min_peak, int32_t *scratch,
    PocstereoDenseMatches *matches);

/* In place of the re-vote's last round: one round, then each pixel's cheapest
 * offers.  In: @census, @matches of each view.  Out: @offers; the sums are 0.
 * Scratch: disparities and their medians. */
typedef const char *PocstereoOffersStage (const Device *dev,
    const PocstereoCensuses *census, const PocstereoDenseMatches *matches,
    int32_t *scratch, PocstereoOffers *offers);

/* The choice among offers along paths.  In: @frame.  In and scratch: @offers.
 * Out: @matches of each view. */
typedef const char *PocstereoPathsStage (const Device *dev,
    const PocstereoFrame *frame, uint16_t final_min_peak,
    PocstereoOffers *offers, PocstereoDenseMatches *matches);

/* Step 7 again, with windows that lean with the surface.  In: @frame, layer 0
 * of @fields, @constants.  In and out: @matches of each view.  Scratch:
 * disparities and their medians. */
typedef const char *PocstereoSlantStage (const Device *dev,
    const PocstereoFrame *frame, const PocstereoFields *fields,
    const PocstereoConstants *constants, uint16_t final_min_peak,
    int32_t *scratch, PocstereoDenseMatches *matches);

/* Drops matches that the right view does not confirm.  In: the right view's
 * @matches; @max_difference, 1 / POCSTEREO_ONE pixels.  In and out: the left
 * view's @matches.  Out: @before, the disparities before the check. */
typedef const char *PocstereoLeftRightStage (const Device *dev,
    int32_t max_difference, PocstereoDenseMatches *matches, int32_t *before);

/* Drops patches of fewer than @size pixels, whose neighbours differ by at most
 * @step, 1 / POCSTEREO_ONE pixels.  In and out: the left view's @matches.
 * Scratch: the patch of each pixel, and the size of each patch. */
typedef const char *PocstereoSpeckleStage (const Device *dev, int size,
    int32_t step, int32_t *scratch, PocstereoDenseMatches *matches);

/* Fills gaps.  In: @census; @before and @max_difference of the left-right
 * check; @min_peak; the right view's @matches.  In and out: the left view's
 * @matches.  Scratch: disparities. */
typedef const char *PocstereoFillStage (const Device *dev,
    const PocstereoCensuses *census, const int32_t *before,
    int32_t max_difference, uint16_t min_peak, int32_t *scratch,
    PocstereoDenseMatches *matches);

/* Means along surfaces.  In: @min_sigma of a match without noise.  In and out:
 * the left view's @matches.  Scratch: disparities. */
typedef const char *PocstereoSmoothStage (const Device *dev, float min_sigma,
    int32_t *scratch, PocstereoDenseMatches *matches);

typedef struct {
  PocstereoLayFields *lay_fields;
  PocstereoCrowdedLayers *crowded_layers;
  PocstereoPyramidStage *pyramid;
  PocstereoPhasorsStage *phasors;
  PocstereoAverageStage *average;
  PocstereoPointsStage *points;
  PocstereoDenseStage *dense;
  PocstereoCensusStage *census;
  PocstereoRevoteStage *revote;
  PocstereoOffersStage *offers;
  PocstereoPathsStage *paths;
  PocstereoSlantStage *slant;
  PocstereoLeftRightStage *left_right;
  PocstereoSpeckleStage *speckle;
  PocstereoFillStage *fill;
  PocstereoSmoothStage *smooth;
} PocstereoStages;

C_BEGIN
extern const PocstereoStages pocstereo_stages_cpu, pocstereo_stages_cuda;

PocstereoLayFields pocstereo_lay_fields_cpu, pocstereo_lay_fields_cuda;
PocstereoCrowdedLayers pocstereo_crowded_layers_cpu,
    pocstereo_crowded_layers_cuda;
PocstereoPyramidStage pocstereo_pyramid_cpu, pocstereo_pyramid_cuda;
PocstereoPhasorsStage pocstereo_phasors_cpu, pocstereo_phasors_cuda;
PocstereoAverageStage pocstereo_average_cpu, pocstereo_average_cuda;
PocstereoPointsStage pocstereo_points_cpu, pocstereo_points_cuda;
PocstereoDenseStage pocstereo_dense_cpu, pocstereo_dense_cuda;
PocstereoCensusStage pocstereo_census_cpu, pocstereo_census_cuda;
PocstereoRevoteStage pocstereo_revote_cpu, pocstereo_revote_cuda;
PocstereoOffersStage pocstereo_offers_cpu, pocstereo_offers_cuda;
PocstereoPathsStage pocstereo_paths_cpu, pocstereo_paths_cuda;
PocstereoSlantStage pocstereo_slant_cpu, pocstereo_slant_cuda;
PocstereoLeftRightStage pocstereo_left_right_cpu, pocstereo_left_right_cuda;
PocstereoSpeckleStage pocstereo_speckle_cpu, pocstereo_speckle_cuda;
PocstereoFillStage pocstereo_fill_cpu, pocstereo_fill_cuda;
PocstereoSmoothStage pocstereo_smooth_cpu, pocstereo_smooth_cuda;

/* pocstereo_tables.c: layers and constants from checked params. */
void pocstereo_set_layers (PocstereoPyramid *pyramid,
    const PocstereoParams *params, int width, int height);
void pocstereo_set_tables (
    PocstereoTables *tables, const PocstereoParams *params);

/* pocstereo.c: the beginning of pocstereo_queue_points ().  Checks @frame,
 * makes its pyramid, and puts @points where the device reads them. */
const char *pocstereo_begin_points (Pocstereo *self,
    const PocstereoParams *params, const PocstereoFrame *frame,
    const PocstereoPoint *points, int n, PocstereoAsked *asked);
C_END
