/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Curves, bands and metameric blacks. */

/* Some rows of the table of the CIE 1931 2-degree observer; the fit is off by
 * 0.04 at most (JCGT 2 (2), figure 3).  Each curve's integral is 106.9 nm. */
static void
curves (DeviceKind kind)
{
  static const double table[][4] = {{420, .13438, .0040, .6456},
      {450, .3362, .0380, 1.77211}, {480, .09564, .13902, .81295},
      {500, .0049, .3230, .2720}, {520, .06327, .7100, .07825},
      {555, .51205, 1.0000, .00575}, {580, .9163, .8700, .00165},
      {600, 1.0622, .6310, .0008}, {620, .85445, .3810, .00019},
      {650, .2835, .1070, 0}, {700, .01136, .0041, 0}};

  (void) kind;
  for (int k = 0; k < 3; k++) {
    double integral = 0;

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      integral += 5 * multispectral_curve (k, multispectral_step (i));
    check_near (integral, 106.9, 1.5);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
      check_near (multispectral_curve (k, table[i][0]), table[i][k + 1], .04);
    for (int nm = 800; nm <= 1000; nm++)
      check (fabs (multispectral_curve (k, nm)) < 1e-4);
  }
}

static void
white (DeviceKind kind)
{
  Spectrum s;
  double rgb[3];

  (void) kind;
  for (int half = 1; half <= 2; half++) {
    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      s.at[i] = half / 2.;
    multispectral_rgb (&s, rgb);
    for (int c = 0; c < 3; c++)
      check_near (rgb[c], half / 2., 1e-3);
  }
  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++) /* a deep red */
    s.at[i] = multispectral_step (i) > 620;
  multispectral_rgb (&s, rgb);
  check (rgb[0] > .3 && rgb[1] < .05 && rgb[2] < .05);
  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++) /* what no eye sees */
    s.at[i] = multispectral_step (i) > 800;
  multispectral_rgb (&s, rgb);
  check (fabs (rgb[0]) + fabs (rgb[1]) + fabs (rgb[2]) < 1e-6);
}

/* A spectrum that rises evenly has, on the mean over a band, its value in the
 * middle, which is at the wavelength that is told; and one that is 1 in a step
 * alone is spread over the bands that share the step. */
static void
bands (DeviceKind kind)
{
  Spectrum ramp, spike = {{0}};

  (void) kind;
  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
    ramp.at[i] = (multispectral_step (i) - 400) / 600;
  spike.at[rnd (MULTISPECTRAL_SAMPLES)] = 1;
  for (int n = 2; n <= MULTISPECTRAL_MAX_CHANNELS; n++) {
    double mean[MULTISPECTRAL_MAX_CHANNELS], all = 0;

    multispectral_bands (&ramp, n, mean);
    for (int c = 0; c < n; c++) {
      check_near (mean[c], (c + .5) / n, 120 % n ? .001 : 1e-12);
      check_near (
          multispectral_wavelength (n, c), 400 + 600 * (c + .5) / n, 1e-9);
    }
    multispectral_bands (&spike, n, mean);
    for (int c = 0; c < n; c++)
      all += mean[c] * MULTISPECTRAL_SAMPLES / n;
    check_near (all, 1, 1e-12);
  }
  check (multispectral_channels (11, 0) == 11);
  check (multispectral_channels (11, 3) == 9);
}

/* Blacks have nothing in the curves, and 1 where they are farthest from 0; as
 * much of them as there is room for brings a reflectance to 0 or 1 and none
 * beyond. */
static void
blacks (DeviceKind kind)
{
  Spectrum black[24], some[24];

  (void) kind;
  for (int f = 0; f < 10; f++) {
    uint64_t seed = rnd (1000);

    multispectral_blacks (seed, 24, black);
    multispectral_blacks (seed, 5, some);
    check (!memcmp (black, some, 5 * sizeof *some));
    for (int i = 0; i < 24; i++) {
      double sum[4] = {0}, most = 0;

      for (int s = 0; s < MULTISPECTRAL_SAMPLES; s++) {
        for (int k = 0; k < 3; k++)
          sum[k] +=
              black[i].at[s] * multispectral_curve (k, multispectral_step (s));
        sum[3] += black[i].at[s];
        most = fmax (most, fabs (black[i].at[s]));
      }
      for (int k = 0; k < 4; k++)
        check_near (sum[k], 0, 1e-12);
      check_near (most, 1, 1e-12);
      for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
        Spectrum base = multispectral_material (m);
        double room = multispectral_room (&base, &black[i]);
        double low = 1, high = 0;

        for (int s = 0; s < MULTISPECTRAL_SAMPLES; s++) {
          double r = base.at[s] + room * black[i].at[s];

          low = fmin (low, r), high = fmax (high, r);
        }
        check (low > -1e-12 && high < 1 + 1e-12);
        check (low < 1e-12 || high > 1 - 1e-12);
      }
    }
  }
}

/* Root mean square over @n bands of what @a and @b do to material @m. */
static double
distance (const Spectrum *a, const Spectrum *b, int m, int n)
{
  double p[MULTISPECTRAL_MAX_CHANNELS], q[MULTISPECTRAL_MAX_CHANNELS];
  Spectrum base = multispectral_material (m);
  double room_a = multispectral_room (&base, a), sum = 0;
  double room_b = b ? multispectral_room (&base, b) : 0;

  multispectral_bands (a, n, p);
  multispectral_bands (b ? b : a, n, q);
  for (int c = 0; c < n; c++)
    sum += pow (p[c] * room_a - q[c] * room_b, 2) / n;
  return sqrt (sum);
}

/* In four channels or more, eight targets are far from the ground and from each
 * other. */
static void
differences (DeviceKind kind)
{
  static const int channels[] = {4, 9, 11, 16};
  double ground[4] = {1, 1, 1, 1}, others[4] = {1, 1, 1, 1};
  Spectrum black[8];

  (void) kind;
  for (int f = 0; f < 40; f++) {
    multispectral_blacks (rnd (1u << 31), 8, black);
    for (int k = 0; k < 4; k++)
      for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++)
        for (int i = 0; i < 8; i++) {
          ground[k] =
              fmin (ground[k], distance (&black[i], NULL, m, channels[k]));
          for (int j = 0; j < i; j++)
            others[k] = fmin (
                others[k], distance (&black[i], &black[j], m, channels[k]));
        }
  }
  for (int k = 0; k < 4; k++) {
    printf ("%d channels: from the ground %.3f, from each other %.3f\n",
        channels[k], ground[k], others[k]);
    check (ground[k] > (k ? .06 : .04));
    check (others[k] > (k ? .05 : .03));
  }
}
