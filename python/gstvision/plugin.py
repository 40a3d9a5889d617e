# SPDX-License-Identifier: LGPL-2.1-or-later
"""The elements that a wheel brings, for the system's GStreamer."""
import ctypes
import os
from pathlib import Path

_FOLDER = Path(__file__).parent / "elements"


def init():
    """Makes the elements of this package known to GStreamer, in this process, and the
    typelib of their metadata to PyGObject.  Returns the Gst.Plugin."""
    plugin = _FOLDER / "gstreamer-1.0" / "libgstvision.so"
    if not plugin.is_file():
        raise RuntimeError(f"there is no {plugin}: this package came without elements, "
                           "which GStreamer finds by GST_PLUGIN_PATH, or where they are "
                           "installed")
    try:
        import gi
        gi.require_version("Gst", "1.0")
        is_new = gi.version_info >= (3, 51)
        gi.require_version("GIRepository", "3.0" if is_new else "2.0")
        from gi.repository import GIRepository, Gst
    except (ImportError, ValueError) as missing:
        raise ImportError(
            f"the elements need GStreamer and PyGObject ({missing}); on Debian: apt-get "
            "install python3-gst-1.0, and make the environment with "
            "python3 -m venv --system-site-packages") from missing
    # The typelib names the library without its folder.
    ctypes.CDLL(str(_FOLDER / "libgstvisionmeta.so.0"), ctypes.RTLD_GLOBAL)
    repository = GIRepository.Repository
    (repository.dup_default() if is_new else repository).prepend_search_path(
        str(_FOLDER / "girepository-1.0"))
    presets = os.environ.get("GST_PRESET_PATH")
    os.environ["GST_PRESET_PATH"] = os.pathsep.join(
        [str(_FOLDER / "presets")] + ([presets] if presets else []))
    Gst.init(None)
    loaded = Gst.Plugin.load_file(str(plugin))
    Gst.Registry.get().add_plugin(loaded)
    return loaded
