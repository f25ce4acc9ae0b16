#!/usr/bin/python3
"""Trains and exports the two MRZ line recognisers.

Two networks are two witnesses: a document is accepted without an operator only
where both read the same characters.  They share the input contract and nothing
else: architecture, seed and the proportions of the augmentation differ.

 a  purely convolutional, max pooling, dilated row context (about +-3 characters)
 b  strided convolutions, depthwise-separable residual blocks, gated context of 9 steps

Contract of both: input 'x' float32 [n, 1, 32, w], normalised as in
render.normalise(); output 'logp' float32 [n, t, 38], log-probabilities with the
CTC blank in class 0 and ALPHABET[i] in class i + 1; t = w / 4 (rounded down or
up at the last incomplete step).

Training is CTC on lines drawn while it runs (render.py): mostly short pieces
first, because they are cheap, then whole lines too.  The exported weights are
the exponential moving average.

Batch n is a function of the seed and n alone, the schedule follows the step, and
a checkpoint holds the weights, their average, the optimiser, the step and the
random state: a run that was cut off and resumed ends where an uncut one ends
(same machine, one thread).

 train.py --net b --seed 22 --steps 3000 --out RUN      writes RUN.pt, RUN.onnx and RUN.log.json
 train.py --resume RUN.pt --out RUN                     goes on with the very next batch
 train.py --net b --seed 23 --steps 2000 --init RUN.pt  another run from these weights
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
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from render import ALPHABET, HEIGHT, STRIDE, Renderer

CLASSES = len(ALPHABET) + 1
EMA_DECAY = 0.998          # averages over about 500 steps
WEIGHT_DECAY = 1e-4
CLIP_NORM = 5.0
WARMUP_STEPS = 80
SHORT_BATCH = 32           # pieces of 5 to 14 characters
WHOLE_BATCH = 9            # lines of 30, 36 or 44 characters: about the same number of columns
EMPTY_SHARE = 0.12         # share of batches in which two crops carry nothing to read
SAVE_EVERY = 250
PAD_TO = 48                # widths of batches: few distinct shapes keep the convolution kernels cached


def conv(i, o, kernel, stride=1, pad=None, dilation=1, groups=1, act=nn.ReLU):
    """Convolution + batch norm + activation, same padding unless told otherwise."""
    kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
    dil = (1, dilation)
    if pad is None:
        pad = tuple(d * (k // 2) for k, d in zip(kernel, dil))
    layers = [nn.Conv2d(i, o, kernel, stride, pad, dil, groups, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Residual(nn.Module):
    """x + f(x)"""

    def __init__(self, *layers):
        super().__init__()
        self.f = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.f(x)


class NetA(nn.Module):
    """Convolutions only."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            conv(1, 20, 5, stride=2), conv(20, 40, 3), nn.MaxPool2d(2),          # 8 rows, w/4
            conv(40, 72, 3), nn.MaxPool2d((2, 1)), conv(72, 96, 3),              # 4 rows
            conv(96, 128, (4, 3), pad=(0, 1)),                                   # 1 row
            Residual(conv(128, 128, (1, 5))), Residual(conv(128, 128, (1, 5), dilation=2)),
            nn.Dropout(0.05), nn.Conv2d(128, CLASSES, (1, 3), padding=(0, 1)))

    def forward(self, x):
        return torch.log_softmax(self.features(x).squeeze(2).permute(0, 2, 1), 2)


def separable(c, kernel):
    return Residual(conv(c, c, kernel, groups=c, act=None), conv(c, c, 1, act=nn.SiLU))


class Gated(nn.Module):
    """Residual gated context along the line: depthwise kernel of 9 steps, then a gated linear unit."""

    def __init__(self, c, kernel=9):
        super().__init__()
        self.mix = conv(c, c, (1, kernel), groups=c, act=None)
        self.gate = nn.Conv2d(c, 2 * c, 1)

    def forward(self, x):
        return x + nn.functional.glu(self.gate(self.mix(x)), 1)


class NetB(nn.Module):
    """Strided convolutions, depthwise-separable residual blocks, gated context."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            conv(1, 24, 3, stride=2, act=nn.SiLU), conv(24, 72, (5, 3), stride=2, act=nn.SiLU),   # 8 rows, w/4
            separable(72, (3, 5)), separable(72, (5, 3)),
            conv(72, 112, 3, stride=(2, 1), act=nn.SiLU), separable(112, (3, 5)),                 # 4 rows
            conv(112, 144, (4, 1), pad=(0, 0), act=nn.SiLU),                                      # 1 row
            Gated(144), Gated(144), Gated(144), nn.Dropout(0.1), nn.Conv2d(144, CLASSES, 1))

    def forward(self, x):
        return torch.log_softmax(self.features(x).squeeze(2).permute(0, 2, 1), 2)


NETS = {'a': NetA, 'b': NetB}
PEAK_LR = {'a': 3e-3, 'b': 3e-3}


def whole_share(whole, done):
    """Share of whole-line batches after `done` (0 to 1) of a run."""
    return whole[0] + (whole[1] - whole[0]) * min(1, done / .6)


class Lines(IterableDataset):
    """Endless batches from one seeded renderer, from batch `first` on.

    The renderer's faces and textures are those of the seed; what is drawn with
    them is seeded anew for every batch, so that a run can go on anywhere.
    """

    def __init__(self, seed, style, first, steps, whole):
        self.seed, self.style, self.first, self.steps, self.whole = seed, style, first, steps, whole

    def __iter__(self):
        cv2.setNumThreads(1)
        source = Renderer(self.seed, self.style)
        step = self.first
        while True:
            rng = random.Random('batch %d %d' % (self.seed, step))
            source.rng.seed('lines %d %d' % (self.seed, step))
            if rng.random() < whole_share(self.whole, step / self.steps):
                count, n = WHOLE_BATCH, rng.choice((30, 36, 44))
            else:
                count, n = SHORT_BATCH, rng.randint(5, 14)
            empty = rng.random() < EMPTY_SHARE
            yield collate([source.line(0 if empty and i < 2 else n) for i in range(count)])
            step += 1


def collate(batch):
    """Pads to the widest crop with background white."""
    width = -(-max(x.shape[1] for x, _ in batch) // PAD_TO) * PAD_TO
    x = np.ones((len(batch), 1, HEIGHT, width), np.float32)
    for i, (crop, _) in enumerate(batch):
        x[i, 0, :, :crop.shape[1]] = crop
    target = torch.tensor([ALPHABET.index(c) + 1 for _, s in batch for c in s], dtype=torch.long)
    steps = torch.tensor([crop.shape[1] // STRIDE for crop, _ in batch])
    return torch.from_numpy(x), target, steps, torch.tensor([len(s) for _, s in batch])


def export(net, path):
    net.eval()
    axes = {'x': {0: 'n', 3: 'w'}, 'logp': {0: 'n', 1: 't'}}
    torch.onnx.export(net, torch.zeros(2, 1, HEIGHT, 512), path, opset_version=13,
                      input_names=['x'], output_names=['logp'], dynamic_axes=axes)


def weights_of(path):
    """The averaged weights in a checkpoint, of this trainer or of the one before it (weights alone)."""
    state = torch.load(path, map_location='cpu')
    return state.get('ema', state)


def save(path, state):
    """Whole or not at all: a run that is killed while it writes keeps its checkpoint before."""
    torch.save(state, path + '.tmp')
    os.replace(path + '.tmp', path)


def optimiser_of(net, peak):
    decay, plain = [], []
    for p in net.parameters():
        (decay if p.ndim > 1 else plain).append(p)
    return torch.optim.AdamW([dict(params=decay, weight_decay=WEIGHT_DECAY), dict(params=plain, weight_decay=0)], lr=peak)


@torch.no_grad()
def follow(ema, net, keep):
    for e, p in zip(ema.state_dict().values(), net.state_dict().values()):
        if e.is_floating_point():
            e.lerp_(p, 1 - keep)
        else:
            e.copy_(p)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('--net', choices='ab')
    ap.add_argument('--seed', type=int)
    ap.add_argument('--steps', type=int, default=0, help='length of the run, and of its learning-rate schedule')
    ap.add_argument('--out', required=True, help='path without suffix: .pt, .onnx and .log.json are written')
    ap.add_argument('--init', help='checkpoint (.pt) whose weights a new run starts from')
    ap.add_argument('--resume', help='checkpoint (.pt) of a run to go on with')
    ap.add_argument('--lr', type=float, default=0, help='peak learning rate (default per network)')
    ap.add_argument('--whole', type=float, nargs=2, default=(.05, .5), metavar=('FROM', 'TO'),
                    help='share of whole-line batches at the start and at the end')
    ap.add_argument('--style', choices=sorted(Renderer.STYLES), help='proportions of the effects (default: as the network is called)')
    ap.add_argument('--threads', type=int, default=1)
    ap.add_argument('--export-only', action='store_true', help='only export the --init checkpoint')
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    torch.set_flush_denormal(True)
    state = torch.load(a.resume, map_location='cpu') if a.resume else None
    if state:
        run = dict(state['run'], steps=a.steps or state['run']['steps'])
    else:
        if not a.net or (not a.export_only and (a.seed is None or not a.steps)):
            ap.error('give --net, --seed and --steps, or --resume')
        run = dict(net=a.net, seed=a.seed, steps=a.steps, peak=a.lr or PEAK_LR[a.net], whole=list(a.whole),
                   style=a.style or a.net, init=bool(a.init))
    torch.manual_seed(run['seed'] or 0)
    net, ema = NETS[run['net']](), NETS[run['net']]()
    if a.init:
        net.load_state_dict(weights_of(a.init))
    ema.load_state_dict(net.state_dict())
    if a.export_only:
        export(net, a.out + '.onnx')
        return
    opt = optimiser_of(net, run['peak'])
    step, samples, mean, seconds = 0, 0, None, 0.
    if state:
        net.load_state_dict(state['net'])
        ema.load_state_dict(state['ema'])
        opt.load_state_dict(state['optimiser'])
        step, samples, mean, seconds = (state[k] for k in ('step', 'samples', 'mean', 'seconds'))
    print('parameters', sum(p.numel() for p in net.parameters()), 'from step', step, flush=True)
    lines = Lines(run['seed'], run['style'], step, run['steps'], run['whole'])
    batches = iter(DataLoader(lines, batch_size=None, num_workers=1, prefetch_factor=6))
    if state:
        torch.set_rng_state(state['rng'])          # after the loader, which draws a number itself
    ctc = nn.CTCLoss(zero_infinity=True)
    t0 = time.time()
    while step < run['steps']:
        x, y, steps, lengths = next(batches)
        done = step / run['steps']
        lr = run['peak'] * min(1, (step + 1) / WARMUP_STEPS) * .5 * (1 + math.cos(math.pi * done)) + 1e-5
        for g in opt.param_groups:
            g['lr'] = lr
        logp = net(x).permute(1, 0, 2)
        loss = ctc(logp, y, steps.clamp(max=logp.shape[0]), lengths)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIP_NORM)
        opt.step()
        step += 1
        samples += x.shape[0]
        follow(ema, net, min(EMA_DECAY, (1 + step) / (20 + step)))
        mean = loss.item() if mean is None else .98 * mean + .02 * loss.item()
        if step % 100 == 0:
            print('step %d  %.0f s  loss %.4f  samples %d' % (step, time.time() - t0, mean, samples), flush=True)
        if step % SAVE_EVERY == 0 or step == run['steps']:
            save(a.out + '.pt', dict(run=run, net=net.state_dict(), ema=ema.state_dict(), optimiser=opt.state_dict(),
                                     rng=torch.get_rng_state(), step=step, samples=samples, mean=mean,
                                     seconds=seconds + time.time() - t0))
    export(ema, a.out + '.onnx')
    log = dict(net=run['net'], seed=run['seed'], init=run['init'], style=run['style'], steps=step, samples=samples,
               minutes=round((seconds + time.time() - t0) / 60, 1), peakLearningRate=run['peak'],
               wholeLineShare=run['whole'], finalLoss=round(mean, 4), torch=torch.__version__)
    with open(a.out + '.log.json', 'w') as f:
        json.dump(log, f, indent=1)
    print(json.dumps(log))


if __name__ == '__main__':
    main()
