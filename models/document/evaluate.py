#!/usr/bin/python3
"""Measures a document locator on held-out rendered scenes: seeds and numbers of batches that no training uses.

Or, with --pictures, on pictures from elsewhere.  For each kind of scene: share found (overlap with the truth, intersection over union, of .8 and more), mean overlap
and corner error (mean distance over the document's long side) of those, share with the right way up, right side of
the card; on scenes without a document the share in which one is claimed.  Reads .pt checkpoints of train.py.
"""
import argparse
import json
import os
import random

import cv2
import numpy as np
import torch

from decode import SURE_TURN, decode
from network import Locator
from render import INPUT_SHAPES, OUTSIDE, SCENES, STRIDE, Renderer, letterbox, normalise

HELD_OUT_SEED = 990099     # never a training seed
CLAIM = .7                 # score from which a proposal claims a document: starting value
FOUND = .8


def overlap(a, b):
    """Intersection over union of two convex quadrilaterals."""
    a, b = np.float32(a), np.float32(b)
    area = lambda q: abs(cv2.contourArea(q))
    shared = cv2.intersectConvexConvex(a, b)[0]
    return shared / max(1e-6, area(a) + area(b) - shared)


def unordered(quad, truth):
    """Corner error of the best of the four orders, and that order's turn."""
    errors = [np.linalg.norm(np.roll(quad, s, 0) - truth, axis=1).mean() for s in range(4)]
    return min(errors), int(np.argmin(errors))


def turned_back(maps, quarters):
    """Maps of an input that was turned counterclockwise by so many quarters; the direction of the text turns too."""
    maps = np.rot90(maps, -quarters, (1, 2)).copy()
    for _ in range(quarters):                             # clockwise by one: (x, y) becomes (-y, x), y downwards
        maps[6], maps[7] = 1 - maps[7], maps[6].copy()
    return maps


def run(net, x, turns=4):
    """Maps of one input [1, 3, h, w]: the mean over its four turns as the product takes it, or fewer."""
    with torch.no_grad():
        maps = [turned_back(net(torch.from_numpy(np.ascontiguousarray(np.rot90(x, k, (2, 3))))).numpy()[0], k)
                for k in range(turns)]
    return np.ascontiguousarray(np.mean(maps, 0))


def held_out(count, seed):
    """(kind, input, truths) in a fixed order."""
    r = Renderer(seed)
    for kind, _ in SCENES:
        rng = random.Random('%s %d' % (kind, seed))
        for i in range(count):
            x, _, truths = r.scene(rng, INPUT_SHAPES[i % len(INPUT_SHAPES)], lambda: r.documents[rng.randrange(120)],
                                   r.textures[rng.randrange(64)], kind)
            yield kind, x, [([quad], front) for quad, front in truths]


def picture(path):
    """Input of a picture file, and how to go back: (x [1, 3, h, w], scale, offset in input pixels)."""
    rgb = cv2.imread(path, cv2.IMREAD_COLOR)
    if rgb is None:
        raise SystemExit('cannot read ' + path)
    rgb = rgb[..., ::-1]
    (w, h), scale, left, top = letterbox(rgb.shape[1], rgb.shape[0])
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    x = np.full((h, w, 3), OUTSIDE, np.float32)
    at = round(top), round(left)
    x[at[0]:at[0] + small.shape[0], at[1]:at[1] + small.shape[1]] = normalise(small)
    return np.ascontiguousarray(x.transpose(2, 0, 1)), scale, np.array([left, top])


def pictures(folder):
    """(kind, input, truths) of a folder with truth.json: [{file, quad: [[x, y] x 4] or null, front, kind}]."""
    with open(os.path.join(folder, 'truth.json')) as f:
        for row in json.load(f):
            x, scale, offset = picture(os.path.join(folder, row['file']))
            # `quad` may be a list of several that are all right, the stated one first.
            quads = [] if row['quad'] is None else [np.array(q) for q in [row['quad']] + row.get('alsoRight', [])]
            cells = [((q * scale + offset) / STRIDE - .5) for q in quads]
            yield row.get('kind', 'all'), x, [(cells, row.get('front', True))] if cells else []


def measure(net, samples, turns=4):
    """Figures by kind of scene; a truth is (quads that are right, the stated one first; front)."""
    tallies = {}
    for kind, x, truths in samples:
        t = tallies.setdefault(kind, dict(documents=0, found=0, overlaps=[], errors=[], told=0, upright=0, side=0, claimed=0, pictures=0))
        t['pictures'] += 1
        proposals = decode(run(net, x[None], turns))
        t['claimed'] += any(p[1] >= CLAIM for p in proposals)
        for quads, front in truths:
            t['documents'] += 1
            got = max(((overlap(p[0], q), q, p) for p in proposals for q in quads), key=lambda g: g[0], default=(0, None, None))
            if got[0] < FOUND:
                continue
            near, truth, (quad, _, share, side) = got
            error, turn = unordered(quad, truth)
            t['found'] += 1
            t['overlaps'].append(near)
            t['errors'].append(error / max(np.linalg.norm(truth[1] - truth[0]), np.linalg.norm(truth[2] - truth[1])))
            t['side'] += (side >= .5) == front
            if share >= SURE_TURN:
                t['told'] += 1
                t['upright'] += turn == 0
    return {kind: summary(t) for kind, t in tallies.items()}


def summary(t):
    n, f = t['documents'], max(1, t['found'])
    out = dict(pictures=t['pictures'], claimed=round(t['claimed'] / max(1, t['pictures']), 3))
    if n:
        out.update(documents=n, found=round(t['found'] / n, 3), meanOverlap=round(float(np.mean(t['overlaps'] or [0])), 4),
                   medianCornerError=round(float(np.median(t['errors'] or [0])), 4), turnTold=round(t['told'] / f, 3),
                   turnRightWhereTold=round(t['upright'] / max(1, t['told']), 4), sideRight=round(t['side'] / f, 3))
    return out


def load(path):
    net = Locator()
    state = torch.load(path, map_location='cpu')
    net.load_state_dict(state['ema'])
    return net.eval()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('checkpoint')
    ap.add_argument('--count', type=int, default=200, help='scenes of each kind')
    ap.add_argument('--seed', type=int, default=HELD_OUT_SEED)
    ap.add_argument('--turns', type=int, choices=(1, 4), default=4, help='4: as the product does; 1: the network alone')
    ap.add_argument('--pictures', metavar='FOLDER', help='measure on the pictures of a folder with a truth.json instead')
    a = ap.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    net = load(a.checkpoint)
    if a.pictures:
        samples = list(pictures(a.pictures))
        samples += [('all', x, truths) for kind, x, truths in samples if kind != 'all']
        out = dict(pictures=os.path.basename(os.path.normpath(a.pictures)), turns=a.turns, **measure(net, samples, a.turns))
    else:
        out = dict(seed=a.seed, turns=a.turns, **measure(net, held_out(a.count, a.seed), a.turns))
    print(json.dumps(out, indent=1))


if __name__ == '__main__':
    main()
