#include <glib-unix.h>
#include <gtk/gtk.h>
#include <malloc.h>

// Made for the loop of Core Foundation: how a loop serves the main queue. Declared in no header.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

// A macro of GLib.
static inline GType g_string_type(void) { return G_TYPE_STRING; }
