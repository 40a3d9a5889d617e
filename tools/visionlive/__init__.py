# SPDX-License-Identifier: LGPL-2.1-or-later
"""What vision-live is made of:

    chain       the pipeline, its source, its element, its launch line
    pausing     frames held, so that a click counts for the one that is seen
    properties  the element's properties, in groups, as texts and as widgets
    picture     the frame, the mouse, what is under it
    cloud       points in space, which the mouse turns
    losing      what to change where a target is lost at once
    plots       rate, latency and positions of the last seconds
    recording   a branch of the pipeline that writes a video and JSON lines
    window      all of it on the screen"""
