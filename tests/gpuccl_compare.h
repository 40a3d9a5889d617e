/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl against the oracle: labels, sums, order and criteria, exactly. */
#pragma once

#include "gpuccl_oracle.h"

/* A camera whose principal point is a multiple of 1/256. */
static inline void
random_camera (GpucclCamera *c)
{
  c->known = rnd (3) > 0;
  c->fx = 100 + rnd (900);
  c->fy = 100 + rnd (900);
  c->cx = (int) rnd (1u << 16) / 256. - 20;
  c->cy = (int) rnd (1u << 16) / 256. - 20;
}

static inline void
compare_sum (const GpucclSum *s, const OracleComponent *c)
{
  check (s->area == c->area && s->x == c->x && s->y == c->y && s->z == c->z);
  check (s->box.x0 == c->x0 && s->box.y0 == c->y0);
  check (s->box.x1 == c->x1 && s->box.y1 == c->y1);
  check ((int) s->min_z == c->min_z && (int) s->max_z == c->max_z);
  check (fabs (s->min_u - c->min_u) <= .5 && fabs (s->max_u - c->max_u) <= .5);
  check (fabs (s->min_v - c->min_v) <= .5 && fabs (s->max_v - c->max_v) <= .5);
}

static inline void
compare_shape (const GpucclComponent *a, OracleComponent c, const Input *in,
    const uint32_t *labels)
{
  oracle_extend (&c, in, labels);
  check (a->measured);
  check_near (a->mean_width, c.widths / c.rows, 1e-12);
  check_near (a->mean_height, c.heights / c.columns, 1e-12);
  if (c.widths + c.heights > 0)
    check_near (a->fill, 2 * c.area / (c.widths + c.heights), 1e-12);
  else
    check (a->fill == 0);
}

static inline void
compare_components (
    const GpucclParams *p, const Input *in, const Found *f, const Oracle *o)
{
  const GpucclResults *r = &f->results;
  int n = 0;

  while (
      n < o->n && n < p->max_components && o->components[n].area >= p->min_area)
    n++;
  check (r->n_components == n);
  for (int i = 0; i < n && i < r->n_components; i++) {
    const GpucclComponent *a = &r->components[i];
    const OracleComponent *c = &o->components[i];

    check (a->sum.label == c->label);
    compare_sum (&a->sum, c);
    check (a->measured == (i < GPUCCL_CANDIDATES && c->area > p->min_size));
    if (a->measured)
      compare_shape (a, *c, in, o->labels);
  }
}

static inline void
compare_found (
    const GpucclParams *p, const Input *in, const Found *f, const Oracle *o)
{
  const OracleComponent nothing = {0}, *largest = o->n ? o->components : NULL;

  largest = largest ? largest : &nothing;
  check (!memcmp (f->labels, o->labels,
      (size_t) in->width * in->height * sizeof *f->labels));
  check (f->results.largest_label == largest->label);
  check (f->results.largest_area == largest->area);
  check (f->results.n_labels == (uint32_t) o->n);
  check (f->results.n_unknown == o->unknown);
  compare_components (p, in, f, o);
}

/* Finds what there is in @in by every algorithm, and compares. */
static inline void
compare (DeviceKind kind, GpucclParams *p, const Rule *rule, const Input *in)
{
  GpucclCamera none = {0};
  Oracle o = oracle_of (in, rule, in->has_depth ? &p->camera : &none);

  p->filter = GPUCCL_NO_FILTER;
  rule_to_params (rule, p);
  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++) {
    Found f;

    p->algorithm = (GpucclAlgorithm) k;
    p->skip_checks = (int) rnd (3);
    f = find (kind, p, in);
    compare_found (p, in, &f, &o);
    found_free (&f);
  }
  oracle_free (&o);
}
