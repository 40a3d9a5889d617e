/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads what moct found in an application in C++, from the buffers of an
 * appsink.  objects.c is the same in C.
 *
 *   objects-cpp [SOURCE]
 *
 * SOURCE is the head of a pipeline; the default is a generated scene. */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/vision/gstvisionmeta.h>

#include <cstdio>
#include <memory>
#include <string>

namespace
{

const std::string scene = "visiontestsrc name=scene num-buffers=30";

struct Unref {
  void operator() (gpointer object) const
  {
    gst_object_unref (object);
  }
  void operator() (GstSample *sample) const
  {
    gst_sample_unref (sample);
  }
  void operator() (GError *error) const
  {
    g_error_free (error);
  }
  void operator() (GstVisionObjects *objects) const
  {
    gst_vision_objects_free (objects);
  }
};

template <class T> using Ref = std::unique_ptr<T, Unref>;

void
show (GstBuffer *buffer)
{
  Ref<GstVisionObjects> found (
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT));

  for (guint i = 0; found && i < found->n_objects; i++) {
    const GstVisionObject &o = found->objects[i];

    std::printf ("%.3f s  %s %llu: (%.1f, %.1f), %llu pixels\n",
        GST_BUFFER_PTS (buffer) / 1e9, o.label, (unsigned long long) o.id, o.cx,
        o.cy, (unsigned long long) o.area);
  }
}

} // namespace

int
main (int argc, char **argv)
{
  std::string source;
  GError *problem = nullptr;

  gst_init (&argc, &argv);
  for (int i = 1; i < argc; i++)
    source += std::string (argv[i]) + " ";
  const std::string line = (source.empty () ? scene : source) +
      " ! moct name=moct ! appsink name=sink sync=false";
  Ref<GstElement> pipeline (gst_parse_launch (line.c_str (), &problem));
  Ref<GError> error (problem);
  if (!pipeline || error) {
    std::fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  GstBin *bin = GST_BIN (pipeline.get ());
  Ref<GstElement> from (gst_bin_get_by_name (bin, "scene"));
  Ref<GstElement> moct (gst_bin_get_by_name (bin, "moct"));
  Ref<GstElement> sink (gst_bin_get_by_name (bin, "sink"));
  if (from) // its shapes have these colours
    g_object_bind_property (
        from.get (), "palette", moct.get (), "objects", G_BINDING_SYNC_CREATE);
  gst_element_set_state (pipeline.get (), GST_STATE_PLAYING);
  while (Ref<GstSample> sample{
      gst_app_sink_pull_sample (GST_APP_SINK (sink.get ()))})
    show (gst_sample_get_buffer (sample.get ()));
  const bool ended = gst_app_sink_is_eos (GST_APP_SINK (sink.get ()));
  gst_element_set_state (pipeline.get (), GST_STATE_NULL);
  return ended ? 0 : 1;
}
