# SPDX-License-Identifier: LGPL-2.1-or-later
"""Widgets for the properties of an element: sliders, switches, choices, texts;
the usual ones open, the others in groups that the user opens."""
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GObject, Gtk, Pango  # noqa: E402

from . import properties  # noqa: E402

LISTS = "objects", "targets"  # texts with a line for each thing


def group_box(rows):
    box = Gtk.Grid(column_spacing=8, row_spacing=2, margin=4)
    for i, (name, tip, widget) in enumerate(rows):
        label = Gtk.Label(label=name, xalign=0, tooltip_text=tip,
                          ellipsize=Pango.EllipsizeMode.END, width_chars=16)
        widget.set_tooltip_text(tip)
        widget.set_hexpand(True)
        box.attach(label, 0, i, 1, 1)
        box.attach(widget, 1, i, 1, 1)
    return box


class Lines(Gtk.Box):
    """The items of a text, which semicolons part: a line each, that can be changed or
    taken away, and an empty one for another.  @on_change gets the text."""

    def __init__(self, text, on_change):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=2)
        self.on_change = on_change
        self.set_text(text)

    def get_text(self):
        return ";".join(filter(None, (entry.get_text().strip()
                                      for entry in self.entries)))

    def set_text(self, text):
        for row in self.get_children():
            row.destroy()
        self.entries = []
        for item in [*filter(None, text.split(";")), ""]:
            self.add_row(item)
        self.show_all()

    def add_row(self, item):
        row = Gtk.Box(spacing=2)
        entry = Gtk.Entry(text=item, placeholder_text="" if item else "another one")
        entry.connect("activate", lambda _: self.changed())
        row.pack_start(entry, True, True, 0)
        if item:
            button = Gtk.Button(label="×", tooltip_text="take it away")
            button.connect("clicked", lambda _: (entry.set_text(""), self.changed()))
            row.pack_start(button, False, False, 0)
        self.entries.append(entry)
        self.add(row)

    def changed(self):
        text = self.get_text()
        self.set_text(text)
        self.on_change(text)

    def has_focus(self):
        """Whether the user is at one of the lines."""
        return any(entry.has_focus() for entry in self.entries)


class Controls(Gtk.Box):
    """@on_change gets a name and a text when the user has set something."""

    def __init__(self, element, on_change):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.element, self.on_change = element, on_change
        self.entries = {}
        usual, *others = properties.groups(
            element.get_factory().get_name()).items()
        advanced = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for title, names in [usual, *others]:
            rows = [(name, spec.blurb, self.widget(spec)) for name in names
                    if (spec := element.find_property(name))
                    and spec.flags & GObject.ParamFlags.WRITABLE]
            if (title, names) == usual:
                self.add(group_box(rows))
                continue
            opener = Gtk.Expander(label=title)
            opener.add(group_box(rows))
            advanced.add(opener)
        opener = Gtk.Expander(label="Advanced", margin_top=4)
        opener.add(advanced)
        self.add(opener)

    def change(self, spec, text):
        self.on_change(spec.name, text)

    def widget(self, spec):
        value = self.element.get_property(spec.name)
        kind = spec.value_type
        if kind == GObject.TYPE_BOOLEAN:
            return self.switch(spec, value)
        if kind.is_a(GObject.TYPE_ENUM):
            return self.choice(spec, value)
        if hasattr(spec, "minimum"):
            return self.number(spec, value)
        return self.entry(spec)

    def switch(self, spec, value):
        widget = Gtk.CheckButton(active=value)
        widget.connect("toggled", lambda w: self.change(
            spec, str(w.get_active()).lower()))
        return widget

    def choice(self, spec, value):
        widget = Gtk.ComboBoxText()
        for item in type(value).__enum_values__.values():
            widget.append(item.value_nick, item.value_nick)
        widget.set_active_id(value.value_nick)
        widget.connect("changed", lambda w: self.change(spec, w.get_active_id()))
        return widget

    def number(self, spec, value):
        whole = spec.value_type not in (GObject.TYPE_FLOAT, GObject.TYPE_DOUBLE)
        step = properties.step_of(spec)
        adjustment = Gtk.Adjustment(
            value=value, lower=spec.minimum, upper=spec.maximum,
            step_increment=step, page_increment=10 * step)
        digits = 0 if whole else 2 if step >= .01 <= value else 4
        if spec.maximum - spec.minimum <= properties.LONGEST:
            widget = Gtk.Scale(adjustment=adjustment, digits=digits,
                               value_pos=Gtk.PositionType.RIGHT)
        else:
            widget = Gtk.SpinButton(adjustment=adjustment, digits=digits)
        adjustment.connect("value-changed", lambda a: self.change(
            spec, str(int(a.get_value()) if whole else a.get_value())))
        return widget

    def entry(self, spec):
        if spec.name in LISTS:
            widget = Lines(properties.text_of(self.element, spec),
                           lambda text: self.change(spec, text))
            self.entries[spec] = widget
            return widget
        widget = Gtk.Entry(text=properties.text_of(self.element, spec))
        widget.connect("activate", lambda w: self.change(spec, w.get_text()))
        self.entries[spec] = widget
        return widget

    def refresh(self):
        """Shows what the element itself has set, such as colours it learned."""
        for spec, entry in self.entries.items():
            text = properties.text_of(self.element, spec)
            if not entry.has_focus() and entry.get_text() != text:
                entry.set_text(text)
