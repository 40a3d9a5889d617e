/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects from frame to frame: tracks them from their last poses, decides
 * whether to search the frame, and gives them identities (thesis, chapter 4).
 */
#include "scopedetect/gstscopedetect.h"

#define TRACK(array, i) g_array_index (array, GstScopedetectTrack, i)

typedef struct {
  gboolean tracking;
  gdouble keep;
  gint search_interval, lose_frames;
} Settings;

static Settings
get_track_settings (GstScopedetect *self)
{
  Settings s;

  GST_OBJECT_LOCK (self);
  s = (Settings){
      self->tracking, self->keep, self->search_interval, self->lose_frames};
  GST_OBJECT_UNLOCK (self);
  return s;
}

/* The index of the track in @among that is nearest to @object and not @taken;
 * -1 if none is near. */
static gint
nearest_track (const GstScopedetect *self, const ScopedetectObject *object,
    GArray *among, const gboolean *taken)
{
  gdouble min_d = SCOPEDETECT_SAME;
  gint found = -1;

  for (guint i = 0; i < among->len; i++) {
    const ScopedetectObject *other = &TRACK (among, i).object;
    gdouble d;

    if ((taken && taken[i]) || other->model != object->model)
      continue;
    d = scopedetect_model_apart (self->model[object->model], object, other);
    if (d <= min_d) {
      min_d = d;
      found = (gint) i;
    }
  }
  return found;
}

/* Adds the objects of @results to self->seen.  If an object is there already,
 * the better of its two poses stays; @results have each object once, however
 * near they are.  With @regions, only objects within these are added. */
static void
add_seen (GstScopedetect *self, const ScopedetectResults *results,
    const ScopedetectFrame *regions)
{
  gboolean *taken =
      g_new0 (gboolean, self->seen->len + (guint) results->n_objects);

  for (int i = 0; i < results->n_objects; i++) {
    const ScopedetectObject *o = &results->objects[i];
    gint same = nearest_track (self, o, self->seen, taken);
    GstScopedetectTrack t = {.object = *o};

    if (regions && !gst_scopedetect_is_inside (regions, o))
      continue;
    if (same < 0) {
      same = (gint) self->seen->len;
      g_array_append_val (self->seen, t);
    } else if (o->score > TRACK (self->seen, same).object.score) {
      TRACK (self->seen, same).object = *o;
    }
    taken[same] = TRUE;
  }
  g_free (taken);
}

static int
by_model_and_score (gconstpointer a, gconstpointer b)
{
  const ScopedetectObject *p = &((const GstScopedetectTrack *) a)->object;
  const ScopedetectObject *q = &((const GstScopedetectTrack *) b)->object;

  if (p->model != q->model)
    return p->model < q->model ? -1 : 1;
  return (p->score < q->score) - (p->score > q->score);
}

/* Keeps the best @max_objects tracks of each model. */
static void
cut_seen (GArray *seen, gint max_objects)
{
  gint model = -1, n = 0;
  guint kept = 0;

  g_array_sort (seen, by_model_and_score);
  for (guint i = 0; i < seen->len; i++) {
    GstScopedetectTrack t = TRACK (seen, i);

    n = t.object.model == model ? n + 1 : 1;
    model = t.object.model;
    if (n <= max_objects)
      TRACK (seen, kept++) = t;
  }
  g_array_set_size (seen, kept);
}

/* The number of objects that were seen in the frame before. */
static guint
count_tracks_seen (const GstScopedetect *self)
{
  guint n = 0;

  for (guint i = 0; i < self->tracks->len; i++)
    n += !TRACK (self->tracks, i).missed;
  return n;
}

/* Numbers of objects: seen in the frame before; in both frames; in both, with
 * at least @keep of the score after the newest search. */
typedef struct {
  guint before, both, kept;
} Recognised;

/* Gives the tracks of this frame the ids of the nearest tracks of the frame
 * before. */
static Recognised
recognise_seen (GstScopedetect *self, gdouble keep)
{
  gboolean *taken = g_new0 (gboolean, self->tracks->len + 1);
  Recognised n = {count_tracks_seen (self), 0, 0};

  for (guint i = 0; i < self->seen->len; i++) {
    GstScopedetectTrack *t = &TRACK (self->seen, i);
    gint same = nearest_track (self, &t->object, self->tracks, taken);

    t->known = same >= 0;
    t->id = 0;
    if (!t->known)
      continue;
    taken[same] = TRUE;
    t->id = TRACK (self->tracks, same).id;
    if (!(t->searched > 0))
      t->searched = TRACK (self->tracks, same).searched;
    if (TRACK (self->tracks, same).missed)
      continue;
    n.both++;
    n.kept += t->object.score >= keep * t->searched;
  }
  g_free (taken);
  return n;
}

static const char *
track_known (GstScopedetect *self)
{
  guint n = self->tracks->len;
  ScopedetectObject *guesses = g_new (ScopedetectObject, n);
  ScopedetectResults results;
  const char *err;

  for (guint i = 0; i < n; i++)
    guesses[i] = TRACK (self->tracks, i).object;
  err = scopedetect_track (self->detector, guesses, (int) n, &results);
  if (!err)
    add_seen (self, &results, NULL);
  g_free (guesses);
  return err;
}

/* Sets the statistics of searches: figures of the newest search, and the
 * numbers of searches with each outcome since the start. */
static void
tell_search (GstScopedetect *self, const ScopedetectSearch *s)
{
  GstVisionCommon *common = gst_vision_common (self);
  GstScopedetectSearches *n = &self->searches;

  n->all++;
  n->cut += s->is_cut;
  n->accepted += s->second == SCOPEDETECT_ACCEPTED;
  n->refused += s->second == SCOPEDETECT_REFUSED;
  n->left_out += s->second > SCOPEDETECT_REFUSED;
  gst_vision_common_set_stat (common, "searches", (gdouble) n->all);
  gst_vision_common_set_stat (common, "models-searched", s->n_models);
  gst_vision_common_set_stat (common, "agreement", s->agreement);
  gst_vision_common_set_stat (common, "steps", s->steps);
  gst_vision_common_set_stat (common, "cut-short", (gdouble) n->cut);
  if (s->second == SCOPEDETECT_NOT_ASKED)
    return;
  gst_vision_common_set_stat (common, "rest", s->n_rest);
  gst_vision_common_set_stat (common, "stage2-accepted", (gdouble) n->accepted);
  gst_vision_common_set_stat (common, "stage2-refused", (gdouble) n->refused);
  gst_vision_common_set_stat (common, "stage2-left-out", (gdouble) n->left_out);
}

static const char *
search_frame (GstScopedetect *self, const ScopedetectParams *params,
    const ScopedetectFrame *frame)
{
  ScopedetectResults results;

  TRY (scopedetect_search (self->detector, &results));
  if (!frame->n_regions) /* regions show little on purpose */
    gst_scopedetect_hint (self, params, &results);
  add_seen (self, &results, frame);
  for (guint i = 0; i < self->seen->len; i++)
    TRACK (self->seen, i).searched = TRACK (self->seen, i).object.score;
  self->unsearched = 0;
  self->rest = (GstScopedetectRest){.least = G_MAXINT};
  tell_search (self, &results.search);
  return NULL;
}

/* Searches what the followed objects leave, and adds what is found there. */
static const char *
search_rest (GstScopedetect *self, const ScopedetectParams *params,
    const ScopedetectFrame *frame, gboolean is_due)
{
  ScopedetectResults results;

  TRY (gst_scopedetect_search_rest (self, params, is_due, &results));
  add_seen (self, &results, frame);
  for (guint i = 0; i < self->seen->len; i++)
    if (!(TRACK (self->seen, i).searched > 0))
      TRACK (self->seen, i).searched = TRACK (self->seen, i).object.score;
  return NULL;
}

/* Searches for objects that are missing.  The whole frame is searched if no
 * object is followed, or if a score has dropped: then followed objects may be
 * wrong.  Else, where objects explain the frame together, what they leave is
 * searched. */
static const char *
search_for_missing (GstScopedetect *self, const Settings *s,
    const ScopedetectParams *params, const ScopedetectFrame *frame)
{
  guint wanted = (guint) (self->n_models * params->max_objects);
  Recognised n = recognise_seen (self, s->keep);
  gboolean is_due = n.both < n.before;

  if (!n.before || !n.both || n.kept < n.both)
    return search_frame (self, params, frame);
  self->unsearched++;
  is_due |= self->seen->len < wanted && s->search_interval &&
      self->unsearched >= s->search_interval;
  if (params->explain < SCOPEDETECT_ONE_STAGE)
    return is_due ? search_frame (self, params, frame) : NULL;
  if (!is_due && !s->search_interval && !self->rest.models)
    return NULL;
  return search_rest (self, params, frame, is_due);
}

/* The number of objects of the model of @missed that were seen in this frame;
 * -1 if @missed itself was seen. */
static gint
count_seen_instead (
    const GstScopedetect *self, const GstScopedetectTrack *missed)
{
  gint n = 0;

  for (guint i = 0; i < self->seen->len; i++) {
    const GstScopedetectTrack *t = &TRACK (self->seen, i);

    if (t->id == missed->id)
      return -1;
    n += !t->missed && t->object.model == missed->object.model;
  }
  return n;
}

/* Carries objects that were not seen over to this frame.  They are lost after
 * @lose_frames frames, or at once if @max_objects of their model were seen. */
static void
carry_missed (GstScopedetect *self, gint lose_frames, gint max_objects)
{
  for (guint i = 0; i < self->tracks->len; i++) {
    GstScopedetectTrack t = TRACK (self->tracks, i);
    gint instead = count_seen_instead (self, &t);

    if (instead < 0)
      continue;
    t.missed++;
    t.lost = t.missed > lose_frames || instead >= max_objects;
    g_array_append_val (self->seen, t);
  }
}

/* Removes tracks that the frame before reported as lost. */
static void
forget_lost_tracks (GArray *tracks)
{
  guint kept = 0;

  for (guint i = 0; i < tracks->len; i++)
    if (!TRACK (tracks, i).lost)
      TRACK (tracks, kept++) = TRACK (tracks, i);
  g_array_set_size (tracks, kept);
}

const char *
gst_scopedetect_find_objects (GstScopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame,
    gboolean may_search)
{
  Settings s = get_track_settings (self);
  GArray *before = self->tracks;

  if (!s.tracking)
    g_array_set_size (self->tracks, 0);
  forget_lost_tracks (self->tracks);
  g_array_set_size (self->seen, 0);
  if (self->tracks->len || may_search)
    TRY (scopedetect_observe (self->detector, params, frame));
  if (self->tracks->len)
    TRY (track_known (self));
  if (may_search)
    TRY (search_for_missing (self, &s, params, frame));
  cut_seen (self->seen, params->max_objects);
  recognise_seen (self, s.keep);
  for (guint i = 0; i < self->seen->len && s.tracking; i++)
    if (!TRACK (self->seen, i).id)
      TRACK (self->seen, i).id = ++self->last_id;
  carry_missed (self, s.lose_frames, params->max_objects);
  self->tracks = self->seen;
  self->seen = before;
  return NULL;
}
