# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window: on the left the frame, what is under the mouse, and plots; on the
right what the user chooses and sets."""
import os
import tempfile

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gst, Gtk, Pango  # noqa: E402

import gstvision  # noqa: E402

from . import chain, properties  # noqa: E402
from .cloud import Cloud  # noqa: E402
from .controls import Controls  # noqa: E402
from .losing import Losing  # noqa: E402
from .picture import Picture  # noqa: E402
from .plots import Plots  # noqa: E402
from .recording import Recording  # noqa: E402

PANEL = 420
FONT = 14  # pixels of the screen
TURN = "A drag turns the points, the wheel makes them larger."
NO_POINTS = "No points in space: nothing was matched, or the rig is not known " \
    "(calibration, or intrinsics and baseline)."
PAUSED = "Paused: a click or a box counts for the frame that is seen. Space goes on."
KEYS = "Space pauses, Ctrl+Z takes the last choice back, Ctrl+O opens a file, Ctrl+L " \
    "copies the launch line, Ctrl+S saves a preset, Ctrl+R records, Ctrl+Q ends."
SAYING = 80   # pixels: the picture stays as it is, however long a message is
UNDER = 40


def column(*widgets):
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for widget in widgets:
        box.add(widget)
    return box


class Window(Gtk.Window):
    """@choice is what the user named: source, element, properties, files."""

    def __init__(self, choice):
        super().__init__(title="vision-live")
        self.choice = choice
        self.chain = self.controls = self.recording = self.sample = None
        self.asks = self.then = None  # @then: what to do when a recording is whole
        self.folder = tempfile.TemporaryDirectory(prefix="vision-live-")
        self.picture = Picture(self.point, self.hover)
        self.cloud = Cloud()
        self.view = Gtk.Stack()
        for widget in self.picture, self.cloud:
            self.view.add(widget)
        self.plots = Plots()
        self.says = Gtk.Label(xalign=0, yalign=0, wrap=True, selectable=True, margin=4,
                              label=KEYS, width_chars=1, max_width_chars=1)
        said = Gtk.ScrolledWindow(hscrollbar_policy=Gtk.PolicyType.NEVER)
        said.set_size_request(-1, SAYING)
        said.add(self.says)
        self.under = Gtk.Label(xalign=0, yalign=0, margin=4, label=" ", wrap=True,
                               lines=2, width_chars=1, max_width_chars=1,
                               ellipsize=Pango.EllipsizeMode.END)
        self.under.set_size_request(-1, UNDER)
        self.place = column()  # of the controls, in a window that stays
        scrolled = Gtk.ScrolledWindow(vexpand=True, min_content_width=PANEL)
        scrolled.add(self.place)
        panel = column(self.choosers(), *self.buttons(), said, scrolled)
        panel.set_size_request(PANEL, -1)
        both = Gtk.Box()
        both.add(column(self.view, self.under, self.plots))
        both.pack_end(panel, False, False, 0)
        self.add(both)
        self.connect("destroy", lambda _: self.end())
        self.connect("key-press-event", self.key)
        GLib.timeout_add_seconds(1, self.refresh)

    # ---- What there is to choose ----

    def choosers(self):
        self.sources = Gtk.ComboBoxText.new_with_entry()
        names = [*chain.SCENES, *(f"camera:{name}" for name in chain.cameras())]
        for name in names:
            self.sources.append_text(name)
        self.sources.get_child().set_text(self.choice.source)
        self.sources.get_child().set_tooltip_text(
            "A scene or camera of the list, a file, rtsp://…, or frame-%04d.png")
        self.sources.get_child().connect("activate", lambda _: self.choose())
        self.sources.connect("changed", lambda box: box.get_active() < 0 or
                             self.choose())
        self.elements = Gtk.ComboBoxText()
        for name in chain.ELEMENTS:
            self.elements.append(name, name)
        self.elements.set_active_id(self.choice.element)
        self.elements.connect("changed", lambda _: self.choose_element())
        row = Gtk.Box(spacing=4, margin=4)
        for widget in self.sources, self.elements:
            row.pack_start(widget, True, True, 0)
        return row

    def buttons(self):
        self.actions = {}
        for row in ((("o", "Open", self.open), ("l", "Copy launch line", self.copy),
                     ("s", "Save preset", self.save), ("r", "Record", self.record)),
                    (("space", "Pause", self.pause), ("z", "Take back", self.take_back))):
            box = Gtk.Box(spacing=4, margin_start=4, margin_end=4, margin_bottom=4)
            for letter, label, act in row:
                button = Gtk.Button(label=label)
                button.connect("clicked", lambda _, act=act, letter=letter:
                               (self.plays() or letter == "o") and act())
                box.pack_start(button, True, True, 0)
                self.actions[letter] = button, act
            yield box
        self.actions["q"] = None, self.destroy

    def key(self, _widget, event):
        name = Gdk.keyval_name(event.keyval).lower()
        if name == "space" and not isinstance(self.get_focus(), Gtk.Editable):
            if self.plays():
                self.pause()
            return True
        if not event.state & Gdk.ModifierType.CONTROL_MASK:
            return False
        if name in self.actions and (self.plays() or name in "oq"):
            self.actions[name][1]()
        return name in self.actions

    # ---- The pipeline ----

    def start(self, texts):
        """Plays what is chosen, with properties @texts."""
        self.sample = None  # of another source
        entry = self.sources.get_child()
        source = entry.get_text()
        entry.set_position(-1)  # a name is longer than its field
        name = self.elements.get_active_id()
        try:
            if name == "scopedetect" and "models" not in texts:
                texts = dict(texts, models=chain.models(self.folder.name))
            self.chain = chain.Chain(source, name, texts, self.choice.json)
            self.chain.start(self.arrived)
        except chain.Refused as sentence:
            self.say(str(sentence))
            return
        self.plots.clear()
        self.show_view()
        bus = self.chain.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.message)
        if self.controls:
            self.controls.destroy()
        self.controls = Controls(self.chain.element, self.change)
        self.place.add(self.controls)
        self.place.show_all()
        self.losing = Losing()
        self.actions["space"][0].set_label("Pause")
        self.actions["z"][0].set_sensitive(bool(self.chain.choice()))
        self.picture.grab_focus()
        if self.has_no_choice():
            self.say(chain.CHOOSE[self.chain.name], True)

    def show_view(self):
        """The cloud of points, or the frame."""
        has_cloud = self.chain.name == "faces"
        self.view.set_visible_child(self.cloud if has_cloud else self.picture)
        self.under.set_text(" ")
        self.cloud.clear()
        if self.chain.wants_faces and not self.chain.has_faces:
            self.say(chain.NO_FACES)

    def has_no_choice(self):
        """Whether nothing is chosen of what the element looks for."""
        return bool(self.chain.choice()) and not self.chain.chosen()

    def restart(self, keep=True):
        """Anew; with @keep the element is the same."""
        if self.recording:
            self.then = lambda: self.restart(keep)
            self.record()
            return
        if self.plays():
            self.chain.pipeline.get_bus().remove_signal_watch()
        self.chain.stop()
        self.start(self.chain.texts if keep else {})

    def plays(self):
        """Not so where the source was refused."""
        return bool(self.chain and self.chain.pipeline)

    def choose(self):
        self.restart()

    def choose_element(self):
        """A generated scene gives way to the one that suits the element."""
        if self.sources.get_child().get_text() in chain.SCENES:
            scene = chain.ELEMENTS[self.elements.get_active_id()].scene
            self.sources.get_child().set_text(scene)
        self.restart(keep=False)

    def change(self, name, text):
        if self.plays() and not self.chain.set(name, text):
            self.restart()

    def arrived(self, sample):
        """In a thread of the pipeline."""
        self.plots.arrived()
        self.sample = sample
        GLib.idle_add(self.show_newest)

    def show_newest(self):
        """Of frames that came meanwhile, all but the newest are passed over."""
        sample, self.sample = self.sample, None
        if not sample or not self.plays():
            return
        self.picture.show_sample(sample, self.chain.shown)
        if self.chain.name == "faces":
            has_points = self.cloud.show_sample(sample)
            self.under.set_text(TURN if has_points else NO_POINTS)
        latency = self.chain.element.get_property("stats")["latency"]
        objects = gstvision.objects(sample.get_buffer())
        self.plots.add(latency / 1e6, objects)
        if self.chain.name == "emdtrack":
            self.watch(objects)
        self.fit_overlay()

    def watch(self, objects):
        """Says what to change where a target is lost soon after it was chosen."""
        search = self.chain.element.get_property("search")
        for o in objects:
            place = None if None in (o.cx, o.cy) else (o.cx, o.cy)
            if sentence := self.losing.see(o.id, o.label, o.state, place, search):
                self.say(sentence)

    def fit_overlay(self):
        """Texts of a large frame, which is shown smaller, stay readable."""
        size = FONT / self.picture.scale()
        overlay = self.chain.pipeline.get_by_name("overlay")
        wanted = round(size) if self.picture.scale() < .8 else 0
        if overlay.get_property("font-size") != wanted:
            overlay.set_property("font-size", wanted)
            overlay.set_property("line-width", wanted / 7)

    def message(self, _bus, message):
        if self.recording and self.recording.take(message):
            return
        if message.type == Gst.MessageType.ERROR:
            self.say(message.parse_error()[0].message)
            self.chain.pipeline.set_state(Gst.State.NULL)
        elif message.type == Gst.MessageType.WARNING:
            self.say(message.parse_warning()[0].message, self.has_no_choice())
        elif message.type == Gst.MessageType.INFO:
            self.say(message.parse_info()[0].message, self.has_no_choice())
        elif message.type == Gst.MessageType.EOS and not self.chain.again():
            self.say("The source has ended.")

    def refresh(self):
        if self.controls and self.plays():
            self.controls.refresh()
            if self.asks and not self.has_no_choice():
                self.say(KEYS)
        return True

    # ---- What the user does ----

    def say(self, sentence, asks=False):
        """@asks for a choice: once one is made, the sentence goes."""
        self.says.set_text(sentence)
        self.asks = asks

    def point(self, kind, x, y, keys):
        if not self.plays():
            return
        self.chain.point(kind, x, y, keys, self.picture.pts())
        if kind == "press":
            for name, value in self.picture.readings(x, y):
                print(f"{self.picture.second():.3f}", int(x), int(y), name, value,
                      flush=True)

    def hover(self, x, y):
        told = [f"{name} {value}" for name, value in self.picture.readings(x, y)]
        self.under.set_text(" · ".join([f"x {int(x)}  y {int(y)}", *told]))

    def open(self):
        dialog = Gtk.FileChooserNative(
            title="A file to play", transient_for=self,
            action=Gtk.FileChooserAction.OPEN)
        if dialog.run() == Gtk.ResponseType.ACCEPT:
            self.sources.get_child().set_text(dialog.get_filename())
            self.restart()
        dialog.destroy()

    def pause(self):
        """Or go on."""
        pause = self.chain.pause
        if pause.is_on():
            pause.release()
        else:
            pause.hold()
        self.actions["space"][0].set_label("Go on" if pause.is_on() else "Pause")
        self.say(PAUSED if pause.is_on() and self.chain.choice() else KEYS)

    def take_back(self):
        if not self.chain.choice():
            self.say(f"{self.chain.name} has no choice to take back.")
        elif not self.chain.take_back():
            self.say("There is no choice to take back.")
        else:
            self.say("The last choice was taken back.")
            if self.chain.pause.is_on():
                self.chain.pause.again(self.picture.pts())
            self.controls.refresh()

    def copy(self):
        line = self.chain.line()
        Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).set_text(line, -1)
        print(line, flush=True)
        self.say("Copied: " + line)

    def save(self):
        name, element = self.choice.preset, self.chain.element
        try:
            path = properties.save_preset(element, name)
        except (OSError, GLib.Error) as error:
            self.say(f"The preset {name} could not be saved: {error}")
            return
        self.say(f"Saved: {element.get_factory().get_name()} @preset={name}, in {path}")

    def record(self):
        button, _ = self.actions["r"]
        if self.recording:
            button.set_sensitive(False)
            self.recording.stop()
            return
        try:
            self.recording = Recording(self.chain.pipeline, self.choice.record,
                                       self.recorded)
        except (LookupError, GLib.Error) as error:
            self.say(str(error))
            return
        button.set_label("End recording")

    def recorded(self, path):
        button, _ = self.actions["r"]
        button.set_label("Record")
        button.set_sensitive(True)
        self.recording = None
        print(f"recorded {os.path.abspath(path)}", flush=True)
        self.say(f"{os.path.abspath(path)} is written, and its JSON lines beside it.")
        then, self.then = self.then, None
        if then:
            then()

    def end(self):
        """A recording that runs becomes whole first."""
        if self.recording:
            self.then = self.end
            self.record()
            return
        self.chain.stop()
        self.folder.cleanup()
        Gtk.main_quit()


def run(choice):
    """False where there is no display."""
    if not Gtk.init_check([])[0]:
        return False
    Gst.init(None)
    window = Window(choice)
    window.show_all()
    window.start(choice.texts)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, 2, window.destroy)
    Gtk.main()
    return True
