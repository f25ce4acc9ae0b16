#!/usr/bin/python3
"""Measures a document locator on held-out rendered scenes: seeds and numbers of batches that no training uses.

For each kind of scene: share found (overlap with the truth, intersection over union, of .8 and more), mean overlap
and corner error (mean distance over the document's long side) of those, share with the right way up, right side of
the card; on scenes without a document the share in which one is claimed.  Reads .pt checkpoints of train.py.
"""
import argparse
import json
import random

import cv2
import numpy as np
import torch

from decode import SURE_TURN, decode
from network import Locator
from render import INPUT_SHAPES, SCENES, Renderer

HELD_OUT_SEED = 990099     # never a training seed
CLAIM = .5                 # score from which a proposal claims a document
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


def held_out(kinds, count, seed):
    """(kind, input, truths) in a fixed order."""
    r = Renderer(seed)
    for kind in kinds:
        rng = random.Random('%s %d' % (kind, seed))
        for i in range(count):
            x, _, truths = r.scene(rng, INPUT_SHAPES[i % len(INPUT_SHAPES)], lambda: r.documents[rng.randrange(120)],
                                   r.textures[rng.randrange(64)], kind)
            yield kind, x, truths


def measure(net, count, seed=HELD_OUT_SEED, kinds=None, turns=4):
    out = {}
    kinds = kinds or [s[0] for s in SCENES]
    tally = {k: dict(documents=0, found=0, overlaps=[], errors=[], told=0, upright=0, side=0, claimed=0, pictures=0) for k in kinds}
    for kind, x, truths in held_out(kinds, count, seed):
        t = tally[kind]
        t['pictures'] += 1
        proposals = decode(run(net, x[None], turns))
        t['claimed'] += any(p[1] >= CLAIM for p in proposals)
        for truth, front in truths:
            t['documents'] += 1
            got = max(((overlap(p[0], truth), p) for p in proposals), key=lambda g: g[0], default=(0, None))
            if got[0] < FOUND:
                continue
            long_side = max(np.linalg.norm(truth[1] - truth[0]), np.linalg.norm(truth[2] - truth[1]))
            error, turn = unordered(got[1][0], truth)
            t['found'] += 1
            t['overlaps'].append(got[0])
            t['errors'].append(error / long_side)
            t['side'] += (got[1][3] >= .5) == front
            if got[1][2] >= SURE_TURN:
                t['told'] += 1
                t['upright'] += turn == 0
    for kind, t in tally.items():
        n, f = t['documents'], max(1, t['found'])
        out[kind] = dict(pictures=t['pictures'], claimed=round(t['claimed'] / max(1, t['pictures']), 3))
        if n:
            out[kind].update(documents=n, found=round(t['found'] / n, 3), meanOverlap=round(float(np.mean(t['overlaps'] or [0])), 4),
                             cornerError=round(float(np.mean(t['errors'] or [0])), 4), turnTold=round(t['told'] / f, 3),
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
    a = ap.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    print(json.dumps(dict(seed=a.seed, turns=a.turns, **measure(load(a.checkpoint), a.count, a.seed, turns=a.turns)), indent=1))


if __name__ == '__main__':
    main()
