/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Noise, depths of grey, mosaics and light. */

/* Normally distributed, apart in each channel, pixel and frame. */
static void
noise (DeviceKind kind)
{
  View clean = view_new (320, 240, 4, IMAGE_GRAY16);
  View noisy = view_new (320, 240, 4, IMAGE_GRAY16);

  (void) kind;
  for (int f = 0; f < 4; f++) {
    MultispectralParams p = MULTISPECTRAL_DEFAULTS;
    double n = 0, sum = 0, squares = 0, fourth = 0, pixels = 0, channels = 0;
    double last = 0;

    p.seed = rnd (1000), p.channels = 4, p.noise = 0, p.drift = 0;
    view_show (&clean, &p, f);
    p.noise = f ? 3 : 7;
    view_show (&noisy, &p, f);
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        double before = 0;

        for (int c = 0; c < 4; c++) {
          int v = channel_at (&clean, x, y, c);
          double e = (channel_at (&noisy, x, y, c) - v) / 257.;

          if (v < 65535 * 5 * 7 / 255 || v > 65535 - 65535 * 5 * 7 / 255) {
            before = last = 0;
            continue;
          }
          n++, sum += e, squares += e * e, fourth += e * e * e * e;
          channels += e * before, before = e;
          pixels += c ? 0 : e * last, last = c ? last : e;
        }
      }
    check (n > 100000);
    check_near (sum / n, 0, .015 * p.noise);
    check_near (sqrt (squares / n), p.noise, .02 * p.noise);
    check_near (fourth * n / (squares * squares), 3, .1);
    check_near (channels / squares, 0, .02);
    check_near (pixels / squares, 0, .02);
  }
  view_free (&clean);
  view_free (&noisy);
}

/* Both depths of grey are of one light, and all that is reflected is there. */
static void
depth (DeviceKind kind)
{
  View a = view_new (160, 120, 11, IMAGE_GRAY8);
  View b = view_new (160, 120, 11, IMAGE_GRAY16);
  MultispectralParams p = MULTISPECTRAL_DEFAULTS;
  int most = 0;

  (void) kind;
  for (int f = 0; f < 4; f++) {
    p.seed = rnd (1000), p.noise = 2 * f;
    view_show (&a, &p, 9);
    view_show (&b, &p, 9);
    for (int y = 0; y < 11 * 120; y++)
      for (int x = 0; x < 160; x++) {
        check_near (value_at (&b, x, y) / 257., value_at (&a, x, y), .51);
        most = value_at (&a, x, y) > most ? value_at (&a, x, y) : most;
      }
  }
  check (most > 230);
  view_free (&a);
  view_free (&b);
}

/* A mosaic is the stacked frame of as many channels, of which each pixel keeps
 * one; noise and truth alike. */
static void
mosaics (DeviceKind kind)
{
  static const ImageFormat grey[] = {IMAGE_GRAY8, IMAGE_GRAY16};

  (void) kind;
  for (int side = 2; side <= 4; side++)
    for (int k = 0; k < 2; k++) {
      int n = side * side, w = 30 * side, h = 21 * side;
      View stacked = view_new (w, h, n, grey[k]);
      View raw = view_new (w, h, 1, grey[k]);
      MultispectralParams p = MULTISPECTRAL_DEFAULTS;

      p.seed = rnd (1000), p.channels = n;
      view_show (&stacked, &p, 77);
      p.channels = 11, p.mosaic = side;
      view_show (&raw, &p, 77);
      check (same_labels (&stacked, &raw));
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          check (value_at (&raw, x, y) ==
              channel_at (&stacked, x, y, side * (y % side) + x % side));
      view_free (&stacked);
      view_free (&raw);
    }
}

/* The light goes down by the part that is said, and up again, the same in all
 * channels. */
static void
drift (DeviceKind kind)
{
  View still = view_new (64, 48, 2, IMAGE_GRAY16);
  View v = view_new (64, 48, 2, IMAGE_GRAY16);
  MultispectralParams p = MULTISPECTRAL_DEFAULTS;
  double least = 2, most = 0;

  (void) kind;
  p.seed = rnd (1000), p.noise = 0, p.channels = 2, p.speed = 0;
  p.distractors = 0;
  for (int f = 0; f < 300; f += 5) {
    double gain = 0;

    p.drift = 0;
    view_show (&still, &p, f);
    p.drift = .3;
    view_show (&v, &p, f);
    for (int y = 0; y < 96; y++)
      for (int x = 0; x < 64; x++) {
        double g = (double) value_at (&v, x, y) / value_at (&still, x, y);

        gain = x + y ? gain : g;
        check_near (g, gain, .001);
      }
    least = fmin (least, gain), most = fmax (most, gain);
  }
  check_near (least, .7, .003);
  check_near (most, 1, .003);
  view_free (&still);
  view_free (&v);
}
