# SPDX-License-Identifier: LGPL-2.1-or-later
"""What to change where emdtrack loses a target soon after it was chosen."""
import math

AT_ONCE = 30  # frames after the choice: a target that is lost by then was so at once


class Losing:
    """@search: emdtrack's property, pixels."""

    def __init__(self):
        self.targets = {}  # by id: frames seen, largest step in pixels, the last place

    def see(self, number, label, state, place, search):
        """Takes what a frame says about target @number, at @place, which may be None;
        returns a sentence where it was lost at once, the first time."""
        seen, moved, last = self.targets.get(number, (0, 0, place))
        if state in ("new", "tracking") and place:
            step = math.dist(place, last) if last else 0
            self.targets[number] = seen + (seen >= 0), max(moved, step), place
        elif state in ("occluded", "lost") and 0 <= seen < AT_ONCE:
            self.targets[number] = -1, moved, last
            return f"{label or 'The target'} was lost {seen} frames after it was chosen. " \
                f"It moved by up to {moved:.0f} pixels a frame, and is looked for within " \
                f"search={search:g}: if it is faster, make search larger; otherwise draw " \
                "the box within the target."
        return None
