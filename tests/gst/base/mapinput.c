/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the pixels of a map are read: in CUDA memory of the device's own
 * context where they lie, all others in system memory.  The CUDA memory here
 * is made up, so that no GPU is needed; which way it was mapped is noted. */
#include "suite.h"

#include "base/gstvisioncuda.h"
#include "base/gstvisionmapinput.h"

#define WIDTH 8
#define HEIGHT 6

static GstVisionMap
map_of (GstBuffer *pixels)
{
  return (GstVisionMap){.kind = "depth",
      .format = "u16",
      .channels = 1,
      .width = WIDTH,
      .height = HEIGHT,
      .stride = 2 * WIDTH,
      .on_gpu = TRUE,
      .scale = 1,
      .pixels = pixels};
}

/* The sentence of gst_vision_map_pixels (); @on_device as it says, and @data
 * where the pixels are. */
static const char *
read_pixels (const GstVisionMap *map, DeviceKind kind, gpointer context,
    gboolean *on_device, gpointer *data)
{
  Device device = {.kind = kind};
  GstMapInfo info;

  TRY (gst_vision_map_pixels (map, &device, context, &info, on_device));
  *data = info.data;
  gst_buffer_unmap (map->pixels, &info);
  return NULL;
}

/* What a map says of itself is not believed. */
GST_START_TEST (test_claims_to_lie_on_the_gpu)
{
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, 2 * WIDTH * HEIGHT, NULL);
  g_autoptr (GstBus) context = gst_bus_new ();
  GstVisionMap map = map_of (buffer);
  gboolean on_device = TRUE;
  gpointer data;

  fail_unless (!read_pixels (&map, DEVICE_CUDA, context, &on_device, &data));
  fail_unless (!on_device);
  on_device = TRUE;
  fail_unless (!read_pixels (&map, DEVICE_CUDA, NULL, &on_device, &data));
  fail_unless (!on_device);
}
GST_END_TEST;

GST_START_TEST (test_too_few_pixels)
{
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, 2 * WIDTH * HEIGHT, NULL);
  GstVisionMap map = map_of (buffer);
  gboolean on_device;
  gpointer data;

  map.height++;
  fail_unless (strstr (
      read_pixels (&map, DEVICE_CPU, NULL, &on_device, &data), "fewer pixels"));
  map.height = 2;
  map.stride = 2 * WIDTH + 1;
  fail_unless (strstr (
      read_pixels (&map, DEVICE_CPU, NULL, &on_device, &data), "multiples"));
}
GST_END_TEST;

#ifdef GSTCUDA_MINOR
# include "base/gstcudaapi.h"

static guint16 on_host[HEIGHT][WIDTH], on_gpu[HEIGHT][WIDTH];
static gint mapped; /* now */

typedef GstCudaAllocator MadeUp;
typedef GstCudaAllocatorClass MadeUpClass;
static GType made_up_get_type (void);
G_DEFINE_TYPE (MadeUp, made_up, GST_TYPE_CUDA_ALLOCATOR)

static gpointer
made_up_map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  (void) memory;
  (void) size;
  mapped++;
  return flags & gst_vision_cuda_map_flag ? on_gpu : on_host;
}

static void
made_up_unmap (GstMemory *memory)
{
  (void) memory;
  mapped--;
}

static void
made_up_free (GstAllocator *allocator, GstMemory *memory)
{
  GstCudaMemory *self = (GstCudaMemory *) memory;

  (void) allocator;
  g_free (self->priv);
  g_free (self);
}

static void
made_up_class_init (MadeUpClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->free = made_up_free;
}

static void
made_up_init (MadeUp *self)
{
  GstAllocator *allocator = GST_ALLOCATOR (self);

  allocator->mem_map = made_up_map;
  allocator->mem_unmap = made_up_unmap;
  allocator->mem_map_full = NULL;
  allocator->mem_unmap_full = NULL;
}

/* A buffer in CUDA memory of @context, which need not be one. */
static GstBuffer *
buffer_in (gpointer context)
{
  GstAllocator *allocator = g_object_new (made_up_get_type (), NULL);
  GstCudaMemory *memory = g_new0 (GstCudaMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_object_ref_sink (allocator);
  gst_memory_init (GST_MEMORY_CAST (memory), 0, allocator, NULL, sizeof on_gpu,
      0, 0, sizeof on_gpu);
  memory->context = context;
  memory->priv = g_malloc0 (4096); /* no stream */
  gst_buffer_append_memory (buffer, GST_MEMORY_CAST (memory));
  gst_object_unref (allocator);
  return buffer;
}

/* Only where the device works in the memory's context are they read where they
 * lie: memory of one GPU means nothing to another. */
GST_START_TEST (test_contexts)
{
  g_autoptr (GstBus) one = gst_bus_new ();
  g_autoptr (GstBus) other = gst_bus_new ();
  const struct {
    DeviceKind kind;
    gpointer context;
    gboolean on_device;
  } cases[] = {{DEVICE_CUDA, one, TRUE}, {DEVICE_CUDA, other, FALSE},
      {DEVICE_CUDA, NULL, FALSE}, {DEVICE_CPU, one, FALSE},
      {DEVICE_CPU, NULL, FALSE}};
  g_autoptr (GstBuffer) buffer = buffer_in (one);
  GstVisionMap map = map_of (buffer);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean on_device = !cases[i].on_device;
    gpointer data = NULL;

    fail_unless (!read_pixels (
        &map, cases[i].kind, cases[i].context, &on_device, &data));
    fail_unless_equals_int (on_device, cases[i].on_device);
    fail_unless (data == (on_device ? (gpointer) on_gpu : (gpointer) on_host));
    fail_unless_equals_int (mapped, 0);
  }
  map.height++;
  fail_unless (strstr (
      read_pixels (&map, DEVICE_CUDA, one, &(gboolean){0}, &(gpointer){0}),
      "fewer pixels"));
  fail_unless_equals_int (mapped, 0);
}
GST_END_TEST;
# define OF_CUDA TEST (test_contexts)
#else
# define OF_CUDA (void) 0
#endif

SUITE (mapinput, TEST (test_claims_to_lie_on_the_gpu),
    TEST (test_too_few_pixels), OF_CUDA);
