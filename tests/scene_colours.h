/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Do the colours keep their promise?  Lab is worked out here from its
 * definition (CIE 15, IEC 61966-2-1), not taken from the suite. */

static void
lab_of (const uint8_t rgb[3], double lab[3])
{
  static const double white[] = {.95047, 1, 1.08883};
  static const double m[3][3] = {{.4124564, .3575761, .1804375},
      {.2126729, .7151522, .0721750}, {.0193339, .1191920, .9503041}};
  double f[3];

  for (int i = 0; i < 3; i++) {
    f[i] = 0;
    for (int k = 0; k < 3; k++) {
      double v = rgb[k] / 255.;

      v = v <= .04045 ? v / 12.92 : pow ((v + .055) / 1.055, 2.4);
      f[i] += m[i][k] * v / white[i];
    }
    f[i] = f[i] > 216. / 24389 ? cbrt (f[i]) : f[i] * 841 / 108 + 4. / 29;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

static double
distance (const double p[3], const double q[3])
{
  return sqrt ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
      (p[2] - q[2]) * (p[2] - q[2]));
}

static double
difference (const uint8_t a[3], const uint8_t b[3])
{
  double p[3], q[3];

  lab_of (a, p), lab_of (b, q);
  return distance (p, q);
}

/* Pixels of the picture, by whose they are (label) and by whose tolerance
 * holds them. */
typedef struct {
  double own, other, none; /* of an object: in its tolerance, in another's, in
                              nobody's */
  double stray, ground;    /* of nobody: in a tolerance, in none */
} Sorted;

static Sorted
sort_pixels (const Stage *s, const ChromaticColour *c, int n)
{
  static double centre[CHROMATIC_MAX_OBJECTS][3];
  Sorted t = {0};

  for (int i = 0; i < n; i++)
    lab_of (c[i].rgb, centre[i]);
  for (int at = 0; at < s->img.width * s->img.height; at++) {
    int whose = -1, label = s->labels[at];
    double lab[3];

    lab_of (s->img.plane[0] + 3 * at, lab);
    for (int i = 0; i < n && whose < 0; i++)
      if (distance (lab, centre[i]) <= c[i].tolerance)
        whose = i;
    if (label)
      *(whose < 0 ? &t.none : whose == label - 1 ? &t.own : &t.other) += 1;
    else
      *(whose < 0 ? &t.ground : &t.stray) += 1;
  }
  return t;
}

static void
tolerances_hold (DeviceKind kind)
{
  ChromaticColour c[12];
  Stage s = stage_new (320, 240);
  ChromaticParams p = CHROMATIC_DEFAULTS;

  (void) kind;
  for (int f = 0; f < 12; f++) {
    Sorted t;
    double seen;

    p.n_objects = f < 6 ? 12 : 1 + rnd (12), p.distractors = 12;
    p.seed = rnd (1000), p.occlusion = f % 2, p.texture = f % 3 ? .5 : 1;
    chromatic_palette (p.n_objects, c);
    stage_show (&s, &p, rnd (1u << 20));
    t = sort_pixels (&s, c, p.n_objects);
    seen = t.own + t.other + t.none;
    check (t.own > .93 * seen);
    check (t.other < .004 * seen);
    check (t.stray < .03 * seen); /* rims, which are half an object's */
  }
  stage_free (&s);
}

/* With as many as there may be, still most of each is where it belongs. */
static void
many_hold (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  Stage s = stage_new (1280, 720);
  ChromaticParams p = {.n_objects = 1024, .noise = 1, .texture = .5};
  Sorted t;

  (void) kind;
  chromatic_palette (1024, c);
  stage_show (&s, &p, 0);
  t = sort_pixels (&s, c, 1024);
  check (t.own > .98 * (t.own + t.other + t.none));
  check (t.stray == 0);
  for (int i = 0; i < 1024; i++)
    check (s.objects[i].area > 40);
  stage_free (&s);
}

static void
palette (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  static const int sizes[] = {1, 8, 12, 13, 64, 700, 1024};

  (void) kind;
  for (int k = 0; k < 7; k++) {
    int n = sizes[k];
    double closest = 1000;

    chromatic_palette (n, c);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double apart = difference (c[i].rgb, c[j].rgb);
        double a = c[i].tolerance, b = c[j].tolerance;

        /* named ones stay in one part of their tolerance each */
        closest = fmin (closest, apart - (n > 12 ? a + b : fmax (a, b)));
        check (strcmp (c[i].name, c[j].name));
      }
      check (c[i].tolerance >= 4 && c[i].name[0]);
      check (difference (c[i].alike, c[i].rgb) > c[i].tolerance + 1);
    }
    check (closest >= (n > 12 ? 0 : 8));
  }
  chromatic_palette (12, c);
  check (!strcmp (c[0].name, "red") && !strcmp (c[11].name, "azure"));
  chromatic_palette (13, c);
  check (!strcmp (c[12].name, "c0012"));
}

static void
text (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  static char all[40000], cut[20];
  static const int sizes[] = {1, 8, 1024};

  (void) kind;
  for (int k = 0; k < 3; k++) {
    size_t length = chromatic_objects (sizes[k], all, sizeof all);
    const char *p = all;

    check (length == strlen (all));
    check (chromatic_objects (sizes[k], cut, sizeof cut) == length);
    check (chromatic_objects (sizes[k], NULL, 0) == length);
    check (
        !strncmp (cut, all, 19) && strlen (cut) == (length < 19 ? length : 19));
    chromatic_palette (sizes[k], c);
    for (int i = 0; i < sizes[k]; i++) {
      char name[16] = "";
      unsigned rgb = 0;
      double tolerance = 0;
      int used = 0;

      check (
          sscanf (p, "%15[^:]:#%6x~%lf%n", name, &rgb, &tolerance, &used) == 3);
      check (!strcmp (name, c[i].name) && tolerance == c[i].tolerance);
      check (rgb ==
          ((unsigned) c[i].rgb[0] << 16 | c[i].rgb[1] << 8 | c[i].rgb[2]));
      p += used;
      check (*p == (i + 1 < sizes[k] ? ';' : 0));
      p += *p == ';';
    }
  }
}

/* Noise has the deviation asked for, no mean, and no memory. */
static void
noise (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  Stage a = stage_new (200, 150), b = stage_new (200, 150);
  double sum = 0, squares = 0, pairs = 0, last = 0, n = 0;

  (void) kind;
  p.texture = 0, p.seed = rnd (1000), p.noise = 0;
  stage_show (&a, &p, 3);
  p.noise = 7;
  stage_show (&b, &p, 3);
  check (!memcmp (a.labels, b.labels, 200 * 150 * 2));
  for (int i = 0; i < 3 * 200 * 150; i++) {
    int v = a.img.plane[0][i];
    double d = b.img.plane[0][i] - v;

    if (v < 40 || v > 215)
      continue;
    n++, sum += d, squares += d * d, pairs += d * last, last = d;
  }
  check (n > 40000);
  check_near (sum / n, 0, .15);
  check_near (sqrt (squares / n), 7, .15);
  check_near (pairs / squares, 0, .03);
  stage_free (&a);
  stage_free (&b);
}

/* Shadows take light from ground and objects, give none, move nothing. */
static void
shadows (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  Stage a = stage_new (320, 240), b = stage_new (320, 240);
  int brighter = 0, ground = 0, objects = 0, seen = 0, deep = 0;

  (void) kind;
  p.noise = 0, p.shadows = 0, p.seed = rnd (1000);
  stage_show (&a, &p, 3);
  p.shadows = .2;
  stage_show (&b, &p, 3);
  check (!memcmp (a.labels, b.labels, 320 * 240 * 2));
  for (int i = 0; i < 320 * 240; i++) {
    int lit = a.img.plane[0][3 * i + 1], dim = b.img.plane[0][3 * i + 1];

    brighter += dim > lit + 1;
    *(a.labels[i] ? &objects : &ground) += dim < lit - 4;
    seen += a.labels[i] > 0;
    deep += a.labels[i] && dim < .78 * lit - 2;
  }
  check (!brighter && ground > 2000 && objects > 100);
  check (deep < seen / 20); /* under several, and at rims */
  stage_free (&a);
  stage_free (&b);
}
