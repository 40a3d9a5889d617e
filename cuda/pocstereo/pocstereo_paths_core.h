/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A choice among offered disparities along paths, for both backends.
 *
 * The re-vote decides pixel by pixel: where a window mixes two surfaces or is
 * blank, a wrong disparity may cost less than the true disparity.  Here a pixel
 * keeps its cheapest offers, and semi-global matching chooses among them: four
 * paths lead to a pixel, from the left, right, top and bottom edge; along each
 * path the sum of the offers' costs and of the steps between neighbours is
 * minimised, and the pixel takes the offer with the least sum over all paths. A
 * step between surfaces is cheap where the grey steps, too.  Semi-global
 * matching compares all disparities of a range; four offers suffice if the true
 * disparity is among them.  Costs are those of the re-vote, integers.  Not in
 * the paper. */
#pragma once

#include "pocstereo/pocstereo_revote_core.h"

#define POCSTEREO_KEPT 4  /* offers that a pixel keeps */
#define POCSTEREO_PATHS 4 /* that lead to a pixel */

/* The donors of the only vote before the choice, and those whose offers the
 * choice gets. */
BOTH PocstereoDonors
pocstereo_first_donors (void)
{
  return pocstereo_donors (8, 0xc3);
}

BOTH PocstereoDonors
pocstereo_offer_donors (void)
{
  return pocstereo_donors (8, 0xe4);
}

/* ---- Offers ----
 *
 * An offer is a word: the cost, less POCSTEREO_OFFER_ZERO, in the upper bits,
 * and in the lower POCSTEREO_OFFER_BITS the disparity in 1 /
 * POCSTEREO_OFFER_ONE pixels, plus half of its range.  The smaller of two words
 * is the cheaper offer. */
#define POCSTEREO_OFFER_BITS 21
#define POCSTEREO_OFFER_HALF (1 << (POCSTEREO_OFFER_BITS - 1))
#define POCSTEREO_OFFER_ZERO 1024
#define POCSTEREO_OFFER_ONE 128
#define POCSTEREO_NO_OFFER INT32_MAX

/* @cost: of 5 x 5 pixels, at most 1550. */
BOTH int32_t
pocstereo_offer (int cost, int32_t disparity)
{
  int32_t place = (disparity >> 1) + POCSTEREO_OFFER_HALF;

  return (cost - POCSTEREO_OFFER_ZERO) * (1 << POCSTEREO_OFFER_BITS) + place;
}

BOTH int32_t
pocstereo_offer_cost (int32_t offer)
{
  return (offer >> POCSTEREO_OFFER_BITS) + POCSTEREO_OFFER_ZERO;
}

/* The disparity, 1 / POCSTEREO_OFFER_ONE pixels from the least that a word can
 * hold. */
BOTH int32_t
pocstereo_offer_place (int32_t offer)
{
  return offer & ((1 << POCSTEREO_OFFER_BITS) - 1);
}

BOTH int32_t
pocstereo_offers_apart (int32_t a, int32_t b)
{
  int32_t apart = pocstereo_offer_place (a) - pocstereo_offer_place (b);

  return apart < 0 ? -apart : apart;
}

/* The offers that a pixel keeps, and who made them: four bits each, 0 for the
 * pixel itself and i + 1 for donor i. */
typedef struct {
  int32_t a, b, c, d;
  uint32_t donors;
} PocstereoKept;

/* Whether two offers are at most a pixel apart: places differ by less than half
 * of the range of a word, so the costs above them may be shifted out of the
 * difference. */
BOTH int
pocstereo_is_near_offer (int32_t kept, int32_t offer)
{
  uint32_t apart = (uint32_t) kept - (uint32_t) offer + POCSTEREO_OFFER_ONE;

  return apart << (32 - POCSTEREO_OFFER_BITS) <= 2u * POCSTEREO_OFFER_ONE
      << (32 - POCSTEREO_OFFER_BITS);
}

BOTH int32_t
pocstereo_greater (int32_t a, int32_t b)
{
  return a > b ? a : b;
}

BOTH int
pocstereo_is_cheaper_offer (int32_t offer, int32_t kept)
{
  return pocstereo_is_cheaper (
      pocstereo_offer_cost (offer), pocstereo_offer_cost (kept));
}

/* The first offer that is within a pixel of @offer gives way to it if it is
 * dearer, as in a vote; without such an offer the first of the dearest ones
 * does.  Without branches, so that compilers make vectors of it. */
BOTH PocstereoKept
pocstereo_keep_offer (PocstereoKept kept, int32_t offer, uint32_t donor)
{
  int near_a = pocstereo_is_near_offer (kept.a, offer);
  int near_b = pocstereo_is_near_offer (kept.b, offer);
  int near_c = pocstereo_is_near_offer (kept.c, offer);
  int near_d = pocstereo_is_near_offer (kept.d, offer);
  int32_t rival = pocstereo_greater (
      pocstereo_greater (kept.a, kept.b), pocstereo_greater (kept.c, kept.d));
  int wins, a, b, c, d;

  rival = near_d ? kept.d : rival;
  rival = near_c ? kept.c : rival;
  rival = near_b ? kept.b : rival;
  rival = near_a ? kept.a : rival;
  wins = near_a | near_b | near_c | near_d
      ? pocstereo_is_cheaper_offer (offer, rival)
      : offer < rival;
  a = wins & (kept.a == rival);
  b = wins & (kept.b == rival) & ~a;
  c = wins & (kept.c == rival) & ~a & ~b;
  d = wins & (kept.d == rival) & ~a & ~b & ~c;
  kept.a = a ? offer : kept.a;
  kept.b = b ? offer : kept.b;
  kept.c = c ? offer : kept.c;
  kept.d = d ? offer : kept.d;
  kept.donors = a ? (kept.donors & ~0xfu) | donor : kept.donors;
  kept.donors = b ? (kept.donors & ~0xf0u) | donor << 4 : kept.donors;
  kept.donors = c ? (kept.donors & ~0xf00u) | donor << 8 : kept.donors;
  kept.donors = d ? (kept.donors & ~0xf000u) | donor << 12 : kept.donors;
  return kept;
}

/* The first offer stands in for those that are missing. */
BOTH PocstereoKept
pocstereo_repeat_offer (PocstereoKept kept)
{
  uint32_t donor = kept.donors & 15;

  kept.donors |= (kept.b == POCSTEREO_NO_OFFER ? donor << 4 : 0) |
      (kept.c == POCSTEREO_NO_OFFER ? donor << 8 : 0) |
      (kept.d == POCSTEREO_NO_OFFER ? donor << 12 : 0);
  kept.b = kept.b == POCSTEREO_NO_OFFER ? kept.a : kept.b;
  kept.c = kept.c == POCSTEREO_NO_OFFER ? kept.a : kept.c;
  kept.d = kept.d == POCSTEREO_NO_OFFER ? kept.a : kept.d;
  return kept;
}

/* ---- Paths ---- */

/* A step of at most a pixel costs its length in 1 / POCSTEREO_OFFER_ONE pixels,
 * a greater one POCSTEREO_JUMP, less POCSTEREO_GREY for each step of a sample
 * between the neighbours, but no less than a pixel's.  In bits of 5 x 5 pixels'
 * censuses; chosen on three pairs (docs/lab/pocstereo.md). */
#define POCSTEREO_JUMP 6000
#define POCSTEREO_GREY 24

/* The cost of a jump between two neighbours. */
BOTH int32_t
pocstereo_jump_cost (int sample, int before)
{
  int step = sample < before ? before - sample : sample - before;
  int32_t cost = POCSTEREO_JUMP - POCSTEREO_GREY * step;

  return cost > POCSTEREO_OFFER_ONE ? cost : POCSTEREO_OFFER_ONE;
}

/* The cost of a step from the offer @from to the neighbour's offer @to. */
BOTH int32_t
pocstereo_step_cost (int32_t from, int32_t to, int32_t jump)
{
  int32_t apart = pocstereo_offers_apart (from, to);

  return apart <= POCSTEREO_OFFER_ONE ? apart : jump;
}

/* A path's cost up to an offer is the offer's, plus the least of the
 * neighbour's costs with the step from there, minus the least of the
 * neighbour's costs: at most 1550 + POCSTEREO_JUMP, so that 16 bits hold the
 * sum over all paths. */

/* The first offer with the least of the sums over all paths. */
BOTH int
pocstereo_least_sum (const uint16_t sums[POCSTEREO_KEPT])
{
  int least = 0;

  for (int k = 1; k < POCSTEREO_KEPT; k++)
    least = sums[k] < sums[least] ? k : least;
  return least;
}

/* The match of a pixel that takes the disparity @median from @donor.  Another
 * place's fraction of a pixel is less sure: sigma doubles. */
BOTH PocstereoMatch
pocstereo_offered_match (PocstereoMatch donor, int32_t median)
{
  donor.disparity = median;
  donor.sigma = donor.sigma < 32768 ? (uint16_t) (2 * donor.sigma) : 65535;
  return donor;
}
