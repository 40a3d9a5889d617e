/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What moct learns of a region whose colours are known. */
#include <math.h>

#include "frames.h"
#include "moct/moct_colour.h"

#define WIDTH 200
#define HEIGHT 150

static const uint8_t red[3] = {200, 40, 50}, blue[3] = {40, 60, 190},
                     white[3] = {235, 235, 230}, ground[3] = {90, 110, 90},
                     table[3] = {130, 90, 60};

typedef struct {
  Device dev;
  Frame frame;
  MoctColour colour;
  MoctLearned learned;
  MoctLesson *drags; /* that add up; lesson_learn () begins anew */
} Lesson;

static void
fill (Lesson *l, ImageBox in, const uint8_t rgb[3])
{
  for (int y = in.y0; y < in.y1; y++)
    for (int x = in.x0; x < in.x1; x++) {
      uint8_t c[3];

      for (int k = 0; k < 3; k++)
        c[k] = (uint8_t) (rgb[k] + rnd (13));
      frame_set (&l->frame, x, y, c);
    }
}

/* Ground, and thin white lines everywhere. */
static void
lesson_open (Lesson *l, DeviceKind kind)
{
  *l = (Lesson){.colour = {.name = "thing", .space = MOCT_LEARN}};
  ok (device_open (&l->dev, kind, NULL));
  l->frame = frame_new (IMAGE_RGB, WIDTH, HEIGHT, 0, 1);
  fill (l, (ImageBox){0, 0, WIDTH, HEIGHT}, ground);
  for (int x = 10; x < WIDTH; x += 25)
    fill (l, (ImageBox){x, 0, x + 1, HEIGHT}, white);
}

static void
lesson_take (Lesson *l, const MoctDrag *drag)
{
  void *memory;
  Image image = frame_to_device (&l->frame, &l->dev, &memory);

  ok (moct_learn_from (
      &l->dev, &image, drag, &l->drags, &l->colour, &l->learned));
  device_release (&l->dev, memory);
}

static void
lesson_drag (Lesson *l, ImageBox region, bool takes_away)
{
  lesson_take (l, &(MoctDrag){.region = region, .takes_away = takes_away});
}

static void
lesson_learn (Lesson *l, ImageBox region)
{
  moct_lesson_free (l->drags);
  l->drags = NULL;
  lesson_drag (l, region, false);
  check (l->colour.space == MOCT_LAB);
}

static void
lesson_close (Lesson *l)
{
  moct_lesson_free (l->drags);
  frame_free (&l->frame);
  device_close (&l->dev);
}

AUTO_FREE (Lesson, lesson_close)

static bool
holds (const Lesson *l, const uint8_t rgb[3])
{
  uint8_t c[3] = {rgb[0] + 6, rgb[1] + 6, rgb[2] + 6};
  float lab[3];

  moct_rgb_to_lab (c, lab);
  return moct_holds (&l->colour, lab);
}

/* A red face with a white letter, in a region with much of the ground. */
static void
test_face (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){80, 60, 120, 100}, red);
  fill (&l, (ImageBox){90, 70, 110, 92}, white);
  lesson_learn (&l, (ImageBox){76, 56, 124, 104});
  check (l.learned.modes == 1);
  check (holds (&l, red) && !holds (&l, white) && !holds (&l, ground));
  check_near (l.learned.explained, 1160 / 2304., .06);
  check (l.learned.elsewhere < .001);
}

/* A point in a large object: a box of the same pixels has surroundings of the
 * same colour, a point has none. */
static void
test_point (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){80, 60, 130, 110}, red);
  lesson_learn (&l, moct_point_region (105, 85));
  check (l.learned.modes == 0);
  moct_lesson_free (l.drags);
  l.drags = NULL;
  lesson_take (
      &l, &(MoctDrag){.region = moct_point_region (105, 85), .is_point = 1});
  check (l.learned.modes == 1 && l.learned.explained > .85);
  check (holds (&l, red) && !holds (&l, white) && !holds (&l, ground));
}

static void
dim (Lesson *l, int part)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      uint8_t c[3];

      image_read (&l->frame.image, x, y, c);
      for (int k = 0; k < 3; k++)
        c[k] = (uint8_t) (c[k] / part);
      frame_set (&l->frame, x, y, c);
    }
}

/* A face and its letter are two modes in full light, and in a fourth of it. */
static void
test_dim (DeviceKind kind)
{
  const uint8_t letter[3] = {185, 90, 95};

  for (int part = 1; part <= 4; part *= 2) {
    uint8_t face[3], dull[3];
    AUTO (Lesson) l;

    for (int k = 0; k < 3; k++) {
      face[k] = (uint8_t) (red[k] / part);
      dull[k] = (uint8_t) (letter[k] / part);
    }
    lesson_open (&l, kind);
    fill (&l, (ImageBox){0, 0, WIDTH, 30}, letter);
    fill (&l, (ImageBox){70, 60, 120, 110}, red);
    fill (&l, (ImageBox){80, 70, 110, 90}, letter);
    dim (&l, part);
    lesson_learn (&l, (ImageBox){70, 60, 120, 110});
    check (l.learned.modes == 1);
    check (holds (&l, face) && !holds (&l, dull));
  }
}

/* What surrounds the region is not the thing, even if the rest of the frame has
 * little of it. */
static void
test_around (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){40, 30, 90, 80}, table);
  fill (&l, (ImageBox){60, 50, 70, 60}, red);
  lesson_learn (&l, (ImageBox){57, 47, 73, 63});
  check (l.learned.modes == 1);
  check (holds (&l, red) && !holds (&l, table));
}

/* What is rare in the frame wins over what fills the region, if that is common:
 * a small red thing before a table that goes on outside of the region. */
static void
test_small_on_table (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){60, 20, 140, 120}, table);
  fill (&l, (ImageBox){93, 53, 107, 67}, red);
  lesson_learn (&l, (ImageBox){80, 40, 120, 80});
  check (l.learned.modes == 1);
  check (holds (&l, red) && !holds (&l, table) && !holds (&l, ground));
}

/* A ball that is learned in one light is found in another, on the same ground:
 * nothing else in the frame has a colour near. */
static void
test_other_ball (DeviceKind kind)
{
  const uint8_t ball[3] = {215, 95, 35}, bright[3] = {248, 150, 80},
                dark[3] = {140, 65, 35};
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){90, 60, 102, 72}, ball);
  lesson_learn (&l, (ImageBox){88, 58, 104, 74});
  check (l.learned.modes == 1);
  check (holds (&l, ball) && holds (&l, bright) && holds (&l, dark));
  check (!holds (&l, ground) && !holds (&l, white) && !holds (&l, blue));
}

/* A second region adds what the thing looks like in another frame; a third
 * takes it away.  What each changed is known. */
static void
test_drags (DeviceKind kind)
{
  const ImageBox first = {20, 20, 40, 40}, second = {120, 90, 140, 110};
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, first, red);
  lesson_drag (&l, second, true);
  check (l.colour.space == MOCT_LEARN);
  lesson_learn (&l, first);
  check (holds (&l, red) && !holds (&l, blue));
  fill (&l, first, ground);
  fill (&l, second, blue);
  lesson_drag (&l, second, false);
  check (holds (&l, red) && holds (&l, blue) && !holds (&l, ground));
  check (l.learned.before < .1 && l.learned.now > .9);
  lesson_drag (&l, second, true);
  check (holds (&l, red) && !holds (&l, blue) && !holds (&l, ground));
  check (l.learned.before > .9 && l.learned.now < .1);
}

/* Of two colours of a thing of few pixels, one is elsewhere, too: a fiftieth of
 * the frame, less than one pixel is of the thing, and enough to leave it out.
 */
static void
test_rare (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){150, 100, 180, 120}, blue);
  fill (&l, (ImageBox){41, 40, 44, 46}, red);
  fill (&l, (ImageBox){44, 40, 47, 46}, blue);
  lesson_learn (&l, (ImageBox){41, 40, 47, 46});
  check (l.learned.modes == 1);
  check (holds (&l, red) && !holds (&l, blue));
}

/* The second colour of a thing is rare, but what its margin reaches is not. */
static void
test_common (DeviceKind kind)
{
  const uint8_t second[3] = {60, 90, 160}, near[3] = {72, 72, 136};
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){0, 0, WIDTH, 40}, near);
  fill (&l, (ImageBox){80, 70, 100, 100}, red);
  fill (&l, (ImageBox){100, 70, 120, 100}, second);
  lesson_learn (&l, (ImageBox){80, 70, 120, 100});
  check (l.learned.modes == 1 && l.colour.n_also == 0);
  check (holds (&l, red) && !holds (&l, second) && !holds (&l, near));
}

/* How much of the frame is taken besides a red thing, half of it being of other
 * colours: from @rare on to @common. */
static double
taken_beside (DeviceKind kind, const uint8_t rare[3], const uint8_t common[3])
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  for (int x = 0; x < WIDTH / 2; x++) {
    double part = sqrt (2. * x / WIDTH);
    uint8_t rgb[3];

    for (int k = 0; k < 3; k++)
      rgb[k] = (uint8_t) (rare[k] + part * (common[k] - rare[k]));
    fill (&l, (ImageBox){x, 0, x + 1, HEIGHT}, rgb);
  }
  fill (&l, (ImageBox){140, 80, 160, 100}, red);
  lesson_learn (&l, (ImageBox){140, 80, 160, 100});
  check (l.learned.modes == 1 && l.learned.explained > .85);
  check (holds (&l, red));
  return l.learned.elsewhere;
}

/* Another thing's colours that the margins reach are left out; the thing's own
 * in other light is not. */
static void
test_margins (DeviceKind kind)
{
  const uint8_t orange[3] = {200, 110, 50}, near[3] = {200, 58, 50},
                darker[3] = {184, 37, 46};

  check (taken_beside (kind, near, orange) < .002);
  check (taken_beside (kind, darker, darker) > .5);
}

/* A thing of two colours; the text form says both. */
static void
test_two_colours (DeviceKind kind)
{
  char text[MOCT_TEXT_BYTES], again[MOCT_TEXT_BYTES], problem[256];
  MoctColour *read = calloc (MOCT_MAX_COLOURS, sizeof *read);
  AUTO (Lesson) l;
  int n;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){80, 60, 100, 100}, red);
  fill (&l, (ImageBox){100, 60, 120, 100}, blue);
  lesson_learn (&l, (ImageBox){80, 60, 120, 100});
  check (l.learned.modes == 2 && l.colour.n_also == 1);
  check (holds (&l, red) && holds (&l, blue) && !holds (&l, ground));
  check (l.learned.explained > .9);
  moct_print (&l.colour, 1, text, sizeof text);
  check (moct_parse (text, read, &n, problem, sizeof problem) && n == 1);
  moct_print (read, n, again, sizeof again);
  check (!strcmp (text, again) && strchr (text, '|'));
  free (read);
}

/* The region lies within the thing, or in what is all alike. */
static void
test_within (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){80, 60, 120, 100}, red);
  lesson_learn (&l, (ImageBox){90, 70, 110, 90});
  check (l.learned.modes == 1 && holds (&l, red));
  check (l.learned.explained > .9 && l.learned.elsewhere < .001);
  lesson_learn (&l, (ImageBox){15, 100, 30, 120});
  check (l.learned.modes == 0 && holds (&l, ground));
  check (l.learned.elsewhere > .5);
}

/* One pixel, and one that is partly outside. */
static void
test_small (DeviceKind kind)
{
  AUTO (Lesson) l;

  lesson_open (&l, kind);
  fill (&l, (ImageBox){0, 0, 3, 3}, blue);
  lesson_learn (&l, (ImageBox){1, 1, 2, 2});
  check (holds (&l, blue));
  lesson_learn (&l, (ImageBox){-9, -9, 3, 3});
  check (holds (&l, blue) && !holds (&l, ground));
  lesson_learn (&l, (ImageBox){0, 0, WIDTH, HEIGHT});
  check (l.learned.elsewhere == 0);
}

/* At most four alternatives, of ranges alone. */
static void
test_alternatives (DeviceKind kind)
{
  MoctColour *read = calloc (MOCT_MAX_COLOURS, sizeof *read);
  float grey[3] = {50, 0, 0}, light[3] = {90, 0, 0}, dark[3] = {10, 0, 0};
  char problem[256], again[256];
  int n;

  check (moct_parse ("a:lab=80..99,-5..5,-5..5|0..20,-5..5,-5..5", read, &n,
      problem, sizeof problem));
  check (moct_holds (read, light) && moct_holds (read, dark) &&
      !moct_holds (read, grey));
  check (moct_relation (read, dark, light) == MOCT_CUTS);
  check (moct_relation (read, grey, grey) == MOCT_OUT);
  check (moct_relation (read, dark, dark) == MOCT_IN);
  /* the space of the second may be written again */
  check (moct_parse ("a:lab=80..99,-5..5,-5..5| lab=0..20,-5..5,-5..5", read,
             &n, problem, sizeof problem) &&
      read->n_also == 1 && moct_holds (read, dark));
  check (!moct_parse (
      "a:rg=0..1,0..1|rgb=0..1,0..1,0..1", read, &n, problem, sizeof problem));
  check (strstr (problem, "all in rg"));
  /* short forms, and what they stand for */
  check (moct_parse ("a:red;b:blue~7;c:#ffcc00; #Ff0080\n#001122~3 ", read, &n,
             problem, sizeof problem) &&
      n == 5);
  moct_print (read, n, again, sizeof again);
  check (!strcmp (again,
      "a:#ff0000~20;b:#0000ff~7;c:#ffcc00~20;Ff0080:#ff0080~20;"
      "001122:#001122~3"));
  check (moct_parse ("a:roi=1,2,3,4@1.5+roi=meta - roi=5,6,7,8 + roi=30,3@2",
             read, &n, problem, sizeof problem) &&
      read->n_drags == 4 && read->drags[2].takes_away &&
      read->drags[3].is_point);
  moct_print (read, n, again, sizeof again);
  check (!strcmp (again, "a:roi=1,2,3,4@1.5+roi=meta-roi=5,6,7,8+roi=30,3@2"));
  check (!moct_parse ("a:rg=0..1,0..1|0..1,0..1|0..1,0..1|0..1,0..1|0..1,0..1",
      read, &n, problem, sizeof problem));
  check (strstr (problem, "at most 4"));
  check (
      !moct_parse ("a:#ff0000~9|#00ff00~9", read, &n, problem, sizeof problem));
  free (read);
}

CHECK_MAIN (NULL, NULL, PART (face), PART (point), PART (dim), PART (around),
    {"small on table", test_small_on_table}, {"other ball", test_other_ball},
    PART (drags), PART (rare), PART (common), PART (margins),
    {"two colours", test_two_colours}, PART (within), PART (small),
    PART (alternatives))
