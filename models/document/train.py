#!/usr/bin/python3
"""Trains and exports the document locator.

 train.py --seed 1 --steps 5000 --out RUN             writes RUN.pt (everything a run needs to go on) and RUN.log.json
 train.py --resume RUN.pt --out RUN                   goes on where RUN.pt was written, with the very next batch
 train.py --seed 2 --steps 5000 --init RUN.pt --out R2  another run from these weights
 train.py --export RUN.pt --out document-locator      writes document-locator.onnx

Scenes are drawn while it runs; batch n is a function of the seed and n alone, and the schedule follows the step, so a
run that was cut off and resumed ends where an uncut one ends (same machine, one thread).  A batch is used twice, the
second time turned by 180 degrees with its colour channels in another order: drawing is half of the cost.
--steps given with --resume sets another end.
"""
import argparse
import json
import math
import os
import random
import time

import cv2
import numpy as np
import torch

from network import Locator
from render import ALONG, CHANNELS, CORNERS, INPUT_SHAPES, Renderer

BATCH = 16
PEAK_LR = 4e-3
WARMUP_STEPS = 150
WEIGHT_DECAY = 1e-4
CLIP_NORM = 2.0
EMA_DECAY = .996           # averages over about 250 steps
CORNER_WEIGHT = 25.0       # a cell at a corner counts this much more than one without
CORNER_SHARE = 6.0         # of the corners' loss against the mask's
SIDE_SHARE = .3
ALONG_SHARE = .7
SAVE_EVERY = 200


def loss_of(logits, y):
    bce = torch.nn.functional.binary_cross_entropy_with_logits
    mask = bce(logits[:, 0], y[:, 0])
    document = y[:, 0]
    side = (bce(logits[:, 1], y[:, 1], reduction='none') * document).sum() / (document.sum() + 1)
    along = (bce(logits[:, ALONG], y[:, ALONG], reduction='none').mean(1) * document).sum() / (document.sum() + 1)
    # The hills' own entropy is taken off, so that a perfect answer has no loss.
    target = y[:, CORNERS]
    floor = torch.special.entr(target) + torch.special.entr(1 - target)
    corners = ((bce(logits[:, CORNERS], target, reduction='none') - floor) * (1 + CORNER_WEIGHT * target)).mean()
    return mask, side, along, corners, mask + SIDE_SHARE * side + ALONG_SHARE * along + CORNER_SHARE * corners


def rate(step, steps, peak):
    return peak * min(1, (step + 1) / WARMUP_STEPS) * (.02 + .98 * .5 * (1 + math.cos(math.pi * min(1, step / steps))))


def save(path, **state):
    torch.save(state, path + '.tmp')
    os.replace(path + '.tmp', path)


def export(checkpoint, path):
    """f32, opset 13, any batch and picture size; batch norm is folded into the convolutions."""
    net = Locator()
    net.load_state_dict(torch.load(checkpoint, map_location='cpu')['ema'])
    net.eval()
    axes = {'x': {0: 'n', 2: 'h', 3: 'w'}, 'maps': {0: 'n', 2: 'h4', 3: 'w4'}}
    w, h = INPUT_SHAPES[0]
    torch.onnx.export(net, torch.zeros(1, 3, h, w), path + '.onnx', opset_version=13,
                      input_names=['x'], output_names=['maps'], dynamic_axes=axes)
    print('%s.onnx: %d bytes' % (path, os.path.getsize(path + '.onnx')))
    return net


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--steps', type=int, default=0)
    ap.add_argument('--lr', type=float, default=PEAK_LR, help='peak learning rate')
    ap.add_argument('--init', help='checkpoint whose weights a new run starts from')
    ap.add_argument('--resume', help='checkpoint of a run to go on with')
    ap.add_argument('--export', help='only export this checkpoint')
    ap.add_argument('--out', required=True, help='path without suffix')
    ap.add_argument('--threads', type=int, default=1)
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    cv2.setNumThreads(1)
    if a.export:
        export(a.export, a.out)
        return
    state = torch.load(a.resume, map_location='cpu') if a.resume else None
    seed = state['seed'] if state else a.seed
    steps = a.steps or (state['steps'] if state else 0)
    peak = state['peak'] if state else a.lr
    init = state.get('init', False) if state else bool(a.init)
    if not steps:
        ap.error('give --steps')
    torch.manual_seed(seed)
    net, ema = Locator(), Locator()
    if a.init:
        start_from(net, a.init)
    ema.load_state_dict(net.state_dict())
    opt = torch.optim.AdamW(net.parameters(), lr=PEAK_LR, weight_decay=WEIGHT_DECAY)
    step, seconds, mean = 0, 0., None
    if state:
        net.load_state_dict(state['net'])
        ema.load_state_dict(state['ema'])
        opt.load_state_dict(state['optimiser'])
        torch.set_rng_state(state['rng'])
        step, seconds, mean = state['step'], state['seconds'], state['mean']
    print('parameters %d, seed %d, steps %d to %d' % (sum(p.numel() for p in net.parameters()), seed, step, steps), flush=True)
    renderer = Renderer(seed)
    t0, cpu0 = time.time(), time.process_time()
    held = None
    while step < steps:
        if step % 2 == 0 or held is None:
            held = renderer.batch(step // 2, BATCH)
        x, y = turned(held, seed, step)
        for g in opt.param_groups:
            g['lr'] = rate(step, steps, peak)
        parts = loss_of(net.logits(x), y)
        opt.zero_grad(set_to_none=True)
        parts[-1].backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), CLIP_NORM)
        opt.step()
        step += 1
        follow(ema, net, min(EMA_DECAY, (1 + step) / (20 + step)))
        now = np.array([p.item() for p in parts])
        mean = now if mean is None else .98 * mean + .02 * now
        if step % 50 == 0:
            print('step %d  %.0f s  cpu %.0f s  mask %.4f side %.4f along %.4f corners %.5f' % (step, time.time() - t0, time.process_time() - cpu0, *mean[:-1]), flush=True)
        if step % SAVE_EVERY == 0 or step == steps:
            save(a.out + '.pt', net=net.state_dict(), ema=ema.state_dict(), optimiser=opt.state_dict(), rng=torch.get_rng_state(),
                 step=step, steps=steps, seed=seed, peak=peak, init=init, seconds=seconds + time.time() - t0, mean=mean)
    log = dict(seed=seed, steps=steps, batch=BATCH, scenes=steps * BATCH // 2, minutes=round((seconds + time.time() - t0) / 60, 1),
               peakLearningRate=peak, init=init, loss=dict(zip(('mask', 'side', 'along', 'corners'), (round(float(v), 5) for v in mean))),
               torch=torch.__version__, channels=list(CHANNELS))
    with open(a.out + '.log.json', 'w') as f:
        json.dump(log, f, indent=1)
    print(json.dumps(log))


def start_from(net, path):
    """The averaged weights of another run; a head with fewer channels keeps those that it has."""
    own = net.state_dict()
    for name, value in torch.load(path, map_location='cpu')['ema'].items():
        if value.shape == own[name].shape:
            own[name].copy_(value)
        else:
            own[name][:len(value)] = value


def turned(held, seed, step):
    """The batch as drawn, or on odd steps turned by 180 degrees with its colours exchanged."""
    x, y, _ = held
    if step % 2:
        order = list(range(3))
        random.Random('order %d %d' % (seed, step)).shuffle(order)
        x, y = x[:, order, ::-1, ::-1], y[:, :, ::-1, ::-1].copy()
        y[:, ALONG] = 1 - y[:, ALONG]
    return torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(np.ascontiguousarray(y))


@torch.no_grad()
def follow(ema, net, keep):
    for e, p in zip(ema.state_dict().values(), net.state_dict().values()):
        if e.is_floating_point():
            e.lerp_(p, 1 - keep)
        else:
            e.copy_(p)


if __name__ == '__main__':
    main()
