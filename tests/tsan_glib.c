/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tells ThreadSanitizer of the locks of GLib and GStreamer.  The sanitizer
 * knows the locks of pthread and what it has compiled itself.  GLib's mutexes
 * are futexes, and its reference counts are atomic operations in a library that
 * nobody instruments, so each of them would look like no lock at all.
 *
 * These functions take the place of those in the libraries, say what is
 * acquired or released, and call the real ones.  Linked into a program, they
 * serve all libraries that it loads.  For a program that is not ours, preload
 * them:
 *
 *   LD_PRELOAD="$(gcc -print-file-name=libtsan.so) \
 *     build-tsan/tests/gst/libtsan_glib.so" gst-launch-1.0 ...
 *
 * Use TSAN_OPTIONS=ignore_noninstrumented_modules=1, since what libraries do
 * between themselves is not ours to judge. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

/* The function @name of the library, found once. */
#define REAL(name) \
 static __typeof__ (name) *real_##name; \
 if (!__atomic_load_n (&real_##name, __ATOMIC_ACQUIRE)) \
 __atomic_store_n (&real_##name, \
     (__typeof__ (name) *) dlsym (RTLD_NEXT, #name), __ATOMIC_RELEASE)

#define LOCK(name) \
 void name (void *lock); \
 void name (void *lock) \
 { \
  REAL (name); \
  real_##name (lock); \
  __tsan_acquire (lock); \
 }

#define TRYLOCK(name) \
 int name (void *lock); \
 int name (void *lock) \
 { \
  int locked; \
\
  REAL (name); \
  locked = real_##name (lock); \
  if (locked) \
   __tsan_acquire (lock); \
  return locked; \
 }

#define UNLOCK(name) \
 void name (void *lock); \
 void name (void *lock) \
 { \
  REAL (name); \
  __tsan_release (lock); \
  real_##name (lock); \
 }

LOCK (g_mutex_lock)
TRYLOCK (g_mutex_trylock)
UNLOCK (g_mutex_unlock)
LOCK (g_rec_mutex_lock)
TRYLOCK (g_rec_mutex_trylock)
UNLOCK (g_rec_mutex_unlock)
LOCK (g_rw_lock_reader_lock)
TRYLOCK (g_rw_lock_reader_trylock)
UNLOCK (g_rw_lock_reader_unlock)
LOCK (g_rw_lock_writer_lock)
TRYLOCK (g_rw_lock_writer_trylock)
UNLOCK (g_rw_lock_writer_unlock)

/* A wait gives the mutex away and takes it again, inside GLib. */
void g_cond_wait (void *cond, void *mutex);
void
g_cond_wait (void *cond, void *mutex)
{
  REAL (g_cond_wait);
  __tsan_release (mutex);
  real_g_cond_wait (cond, mutex);
  __tsan_acquire (mutex);
}

int g_cond_wait_until (void *cond, void *mutex, long long end);
int
g_cond_wait_until (void *cond, void *mutex, long long end)
{
  int signalled;

  REAL (g_cond_wait_until);
  __tsan_release (mutex);
  signalled = real_g_cond_wait_until (cond, mutex, end);
  __tsan_acquire (mutex);
  return signalled;
}

/* What one thread made once, another finds. */
int g_once_init_enter (void *location);
int
g_once_init_enter (void *location)
{
  int first;

  REAL (g_once_init_enter);
  first = real_g_once_init_enter (location);
  __tsan_acquire (location);
  return first;
}

void g_once_init_leave (void *location, unsigned long result);
void
g_once_init_leave (void *location, unsigned long result)
{
  REAL (g_once_init_leave);
  __tsan_release (location);
  real_g_once_init_leave (location, result);
}

/* The value is there before the others may see that it is. */
typedef struct {
  void *(*make) (void *);
  void *data, *once;
} Once;

static void *
make_once (void *data)
{
  Once *o = data;
  void *made = o->make (o->data);

  __tsan_release (o->once);
  return made;
}

void *g_once_impl (void *once, void *(*make) (void *), void *data);
void *
g_once_impl (void *once, void *(*make) (void *), void *data)
{
  Once o = {make, data, once};
  void *made;

  REAL (g_once_impl);
  made = real_g_once_impl (once, make_once, &o);
  __tsan_acquire (once);
  return made;
}

/* Whoever drops the last reference frees what the others have used. */
#define UNREF(name) \
 void name (void *object); \
 void name (void *object) \
 { \
  REAL (name); \
  __tsan_release (object); \
  __tsan_acquire (object); \
  real_##name (object); \
 }

UNREF (g_object_unref)
UNREF (gst_object_unref)
UNREF (gst_mini_object_unref)

/* A buffer of a pool comes from whoever had it before. */
int gst_buffer_pool_acquire_buffer (void *pool, void **buffer, void *params);
int
gst_buffer_pool_acquire_buffer (void *pool, void **buffer, void *params)
{
  int ret;

  REAL (gst_buffer_pool_acquire_buffer);
  ret = real_gst_buffer_pool_acquire_buffer (pool, buffer, params);
  if (ret == 0)
    __tsan_acquire (*buffer);
  return ret;
}

/* From one thread to another. */
void g_async_queue_push (void *queue, void *data);
void
g_async_queue_push (void *queue, void *data)
{
  REAL (g_async_queue_push);
  __tsan_release (queue);
  real_g_async_queue_push (queue, data);
}

#define POP(name) \
 void *name (void *queue); \
 void *name (void *queue) \
 { \
  void *data; \
\
  REAL (name); \
  data = real_##name (queue); \
  __tsan_acquire (queue); \
  return data; \
 }

POP (g_async_queue_pop)
POP (g_async_queue_try_pop)

void *g_async_queue_timeout_pop (void *queue, unsigned long timeout);
void *
g_async_queue_timeout_pop (void *queue, unsigned long timeout)
{
  void *data;

  REAL (g_async_queue_timeout_pop);
  data = real_g_async_queue_timeout_pop (queue, timeout);
  __tsan_acquire (queue);
  return data;
}
