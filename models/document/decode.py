"""Maps of the locator -> quadrilaterals. The same steps as server/vision/documents/outline/network.ts."""
import itertools

import cv2
import numpy as np

MASK = .5                  # starting value: a cell belongs to a document
LEAST_CELLS = 24           # a document smaller than about 6 x 4 cells is not read by anything after
LEAST_PEAK = .12           # starting value: weaker hills are no corner
PEAKS = 8                  # strongest corners looked at per document
REACH = 3                  # cells between a corner's hill and the document's mask
SURE_TURN = .6            # share of the best of four turns from which it is told: README, "Figures"


def peaks_of(total):
    """Hills of the sum of the corner maps: (x, y, height) in cells, the place refined by a parabola of the logarithm."""
    h, w = total.shape
    found = []
    padded = np.pad(total, 1, constant_values=0)
    neighbours = np.stack([padded[dy:dy + h, dx:dx + w] for dy in range(3) for dx in range(3)])
    ys, xs = np.nonzero((total >= neighbours.max(0)) & (total > LEAST_PEAK))
    log = np.log(np.maximum(total, 1e-4))
    for x, y in zip(xs, ys):
        place = []
        for lo, mid, hi in (((y, x - 1), (y, x), (y, x + 1)), ((y - 1, x), (y, x), (y + 1, x))):
            if min(lo) < 0 or hi[0] >= h or hi[1] >= w:
                place.append(0.)
                continue
            bend = log[lo] - 2 * log[mid] + log[hi]
            place.append(float(np.clip((log[lo] - log[hi]) / (2 * bend), -.5, .5)) if bend < -1e-6 else 0.)
        found.append((x + place[0], y + place[1], float(total[y, x])))
    return found


def is_convex_clockwise(q):
    """Clockwise as seen, y downwards."""
    for i in range(4):
        a, b, c = q[i], q[(i + 1) % 4], q[(i + 2) % 4]
        if (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) <= 1:
            return False
    return True


def clockwise(points):
    c = np.mean([p[:2] for p in points], 0)
    return sorted(points, key=lambda p: np.arctan2(p[1] - c[1], p[0] - c[0]))


def candidates(peaks):
    """Quadrilaterals of four hills, or of three with the fourth where a parallelogram has it."""
    for four in itertools.combinations(peaks, 4):
        yield clockwise(four)
    for three in itertools.combinations(peaks[:6], 3):
        a, b, c = three
        for p, q, r in ((a, b, c), (b, c, a), (c, a, b)):
            yield clockwise([p, q, r, (p[0] + r[0] - q[0], p[1] + r[1] - q[1], 0.)])


def inside(q, h, w):
    mask = np.ones((h, w), bool)
    y, x = np.mgrid[0:h, 0:w]
    for i in range(4):
        a, b = q[i], q[(i + 1) % 4]
        mask &= (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0
    return mask


def turn_evidence(maps, q, cover):
    """For each corner as the content's upper left one: share of the hills that say so, and where the text runs."""
    h, w = maps.shape[1:]
    at = [[maps[2 + k, int(np.clip(round(p[1]), 0, h - 1)), int(np.clip(round(p[0]), 0, w - 1))] for p in q] for k in range(4)]
    hills = [sum(at[k][(k + s) % 4] for k in range(4)) for s in range(4)]
    along = (2 * maps[6:8][:, cover] - 1).mean(1) if cover.any() else np.zeros(2)
    out = []
    for s in range(4):
        a, b, c, d = (np.array(q[(k + s) % 4][:2]) for k in range(4))
        edge = b - a + c - d
        out.append(hills[s] / (sum(hills) + 1e-9) + max(0., float(along @ edge) / (np.linalg.norm(edge) + 1e-9)))
    return out


def decode(maps):
    """Proposals, best first: quad [4, 2] in cells, score 0-1, turn share 0-1 (quad in content's order), front 0-1."""
    h, w = maps.shape[1:]
    total = maps[2:6].sum(0)
    everything = peaks_of(total)
    count, labels, stats, _ = cv2.connectedComponentsWithStats((maps[0] > MASK).astype(np.uint8), connectivity=4)
    proposals = []
    for c in sorted(range(1, count), key=lambda i: -stats[i, cv2.CC_STAT_AREA])[:3]:
        if stats[c, cv2.CC_STAT_AREA] < LEAST_CELLS:
            continue
        own = labels == c
        near = cv2.dilate(own.astype(np.uint8), np.ones((2 * REACH + 1,) * 2, np.uint8))
        peaks = [p for p in everything if near[min(h - 1, int(p[1] + .5)), min(w - 1, int(p[0] + .5))]]
        peaks = sorted(peaks, key=lambda p: -p[2])[:PEAKS]
        best = None
        for q in candidates(peaks):
            if not is_convex_clockwise(q):
                continue
            cover = inside(q, h, w)
            # Cells outside the input cannot be counted: a corner far out only has its visible part judged.
            iou = (cover & own).sum() / max(1, (cover | own).sum())
            score = float(iou * (np.mean([min(1, p[2]) for p in q]) * .5 + .5))
            if best is None or score > best[0]:
                best = (score, q, cover)
        if best is None:
            continue
        score, q, cover = best
        evidence = turn_evidence(maps, q, cover)
        s = int(np.argmax(evidence))
        quad = np.array([q[(k + s) % 4][:2] for k in range(4)])
        proposals.append((quad, score, float(evidence[s] / (sum(evidence) + 1e-9)), float(maps[1][cover].mean()) if cover.any() else 0.))
    return sorted(proposals, key=lambda p: -p[1])
