# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects and cameras, with the names, units and ranges of the metadata
(docs/metadata.md), with _ for -; a field that is not known is None."""
import dataclasses
import typing

Numbers = typing.Optional[typing.Tuple[float, ...]]


@dataclasses.dataclass
class Object:
    """What one element says about a thing that it found."""
    element: typing.Optional[str] = None
    source: typing.Optional[str] = None
    id: int = 0
    model: typing.Optional[int] = None
    label: typing.Optional[str] = None
    state: typing.Optional[str] = None
    reason: typing.Optional[str] = None
    x: typing.Optional[float] = None
    y: typing.Optional[float] = None
    width: typing.Optional[float] = None
    height: typing.Optional[float] = None
    cx: typing.Optional[float] = None
    cy: typing.Optional[float] = None
    area: typing.Optional[int] = None
    score: typing.Optional[float] = None
    distance: typing.Optional[float] = None
    ratio: typing.Optional[float] = None
    orientation: typing.Optional[float] = None
    elongation: typing.Optional[float] = None
    vx: typing.Optional[float] = None
    vy: typing.Optional[float] = None
    age: typing.Optional[float] = None
    depth: typing.Optional[float] = None
    pose: Numbers = None
    extent: Numbers = None
    covariance: Numbers = None
    outline: Numbers = None
    trajectory: Numbers = None
    history: Numbers = None


@dataclasses.dataclass
class Camera:
    """The camera that took the frame."""
    ref_width: int = 0
    ref_height: int = 0
    fx: typing.Optional[float] = None
    fy: typing.Optional[float] = None
    cx: typing.Optional[float] = None
    cy: typing.Optional[float] = None
    distortion: Numbers = None
    baseline: typing.Optional[float] = None
    pose: Numbers = None
