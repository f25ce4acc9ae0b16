#!/usr/bin/python3
"""Measures exported MRZ line recognisers.

 synthetic   held-out lines of 30, 36 and 44 characters, drawn from a seed that no
             training uses; half from each augmentation style
 crops       optional: a folder of grey line crops with a tab-separated file of
             'name<TAB>text' rows (any height; resized to 32 rows)

For each model: character error rate (edit distance / characters), share of lines
read exactly, the commonest confusions.  With two models also: how often they
agree, and how often they agree on a wrong line, in all and among the readings of
which every character is sure.  Automatic acceptance rests on these figures.

Needs onnxruntime for Python, or reads .pt checkpoints with torch alone.
"""
import argparse
import collections
import csv
import json
import os

import cv2
import numpy as np

from render import ALPHABET, HEIGHT, Renderer, normalise

HELD_OUT_SEED = 770077     # never a training seed


def load(path):
    """A function crop [32, w] -> log-probabilities [t, 38]."""
    if path.endswith('.pt'):
        import torch
        from train import NETS
        torch.set_num_threads(1)
        state = torch.load(path, map_location='cpu')
        state = state.get('ema', state)
        for cls in NETS.values():
            net = cls()
            try:
                net.load_state_dict(state)
            except RuntimeError:
                continue
            net.eval()

            def run(x):
                with torch.no_grad():
                    return net(torch.from_numpy(np.ascontiguousarray(x))[None, None])[0].numpy()
            return run
        raise SystemExit(path + ': fits no network')
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
    return lambda x: session.run(['logp'], {'x': np.ascontiguousarray(x, np.float32)[None, None]})[0][0]


def greedy(logp):
    """Best-path CTC decoding: (text, weakest character's probability)."""
    best = logp.argmax(1)
    text, weakest = [], 1.0
    previous = 0
    for t, k in enumerate(best):
        if k != 0:
            p = float(np.exp(logp[t, k]))
            if k != previous:
                text.append(ALPHABET[k - 1])
                peak = p
            else:
                peak = max(peak, p)
            if t + 1 == len(best) or best[t + 1] != k:
                weakest = min(weakest, peak)
        previous = k
    return ''.join(text), weakest


def align(truth, read):
    """Edit distance and the list of (true, read) slips; '' stands for nothing."""
    n, m = len(truth), len(read)
    d = np.zeros((n + 1, m + 1), np.int32)
    d[:, 0], d[0] = np.arange(n + 1), np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (truth[i - 1] != read[j - 1]))
    slips, i, j = [], n, m
    while i or j:
        if i and j and d[i, j] == d[i - 1, j - 1] + (truth[i - 1] != read[j - 1]):
            i, j = i - 1, j - 1
            if truth[i] != read[j]:
                slips.append((truth[i], read[j]))
        elif i and d[i, j] == d[i - 1, j] + 1:
            i -= 1
            slips.append((truth[i], ''))
        else:
            j -= 1
            slips.append(('', read[j]))
    return int(d[n, m]), slips


def synthetic(count, seed):
    sources = [Renderer(seed, 'a'), Renderer(seed + 1, 'b')]
    for i in range(count):
        yield sources[i % 2].line((30, 36, 44)[i % 3])


def silence(models, count, seed):
    """Share of crops without upright text which each model reads as nothing."""
    sources = [Renderer(seed + 2, 'a'), Renderer(seed + 3, 'b')]
    quiet = collections.Counter()
    for i in range(count):
        x, _ = sources[i % 2].line(0)
        quiet.update(m for m, run in models.items() if not greedy(run(x))[0])
    return {m: round(quiet[m] / max(1, count), 4) for m in models}


def crops(folder, table):
    with open(table, newline='') as f:
        for row in csv.reader(f, delimiter='\t', quoting=csv.QUOTE_NONE):
            grey = cv2.imread(os.path.join(folder, row[0]), cv2.IMREAD_GRAYSCALE)
            if grey is None:
                raise SystemExit('cannot read ' + row[0])
            w = max(40, round(grey.shape[1] * HEIGHT / grey.shape[0]))
            shrink = grey.shape[0] > HEIGHT
            if grey.shape[0] != HEIGHT:
                grey = cv2.resize(grey, (w, HEIGHT), interpolation=cv2.INTER_AREA if shrink else cv2.INTER_CUBIC)
            yield normalise(grey), row[1]


def measure(models, samples, sure=0.9):
    stats = {m: dict(chars=0, errors=0, exact=0, slips=collections.Counter()) for m in models}
    lines = agree = agree_wrong = certain = certain_wrong = 0
    for x, truth in samples:
        lines += 1
        reads, weakest = {}, 1.0
        for m, run in models.items():
            reads[m], p = greedy(run(x))
            weakest = min(weakest, p)
            s = stats[m]
            e, slips = align(truth, reads[m])
            s['chars'] += len(truth)
            s['errors'] += e
            s['exact'] += e == 0
            s['slips'].update(slips)
        if len(models) > 1 and len(set(reads.values())) == 1:
            agree += 1
            wrong = next(iter(reads.values())) != truth
            agree_wrong += wrong
            if weakest >= sure:
                certain += 1
                certain_wrong += wrong
    out = {'lines': lines, 'models': {}}
    for m, s in stats.items():
        out['models'][m] = dict(characterErrorRate=round(s['errors'] / max(1, s['chars']), 5),
                                characterAccuracy=round(1 - s['errors'] / max(1, s['chars']), 5),
                                exactLines=round(s['exact'] / max(1, lines), 4),
                                commonSlips=['%s>%s %d' % (a or '_', b or '_', k) for (a, b), k in s['slips'].most_common(12)])
    if len(models) > 1:
        out['agree'] = agree
        out['agreeButWrong'] = agree_wrong
        out['agreeAndSure'] = certain
        out['agreeAndSureButWrong'] = certain_wrong
        out['sure'] = sure
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('models', nargs='+', help='.onnx (onnxruntime) or .pt (torch)')
    ap.add_argument('--count', type=int, default=1200, help='synthetic lines')
    ap.add_argument('--seed', type=int, default=HELD_OUT_SEED)
    ap.add_argument('--sure', type=float, default=0.9, help='least probability of the weakest character in a sure reading')
    ap.add_argument('--crops', nargs=2, metavar=('FOLDER', 'TSV'), help='measure on line crops instead')
    a = ap.parse_args()
    cv2.setNumThreads(1)
    models = {os.path.basename(m): load(m) for m in a.models}
    samples = crops(*a.crops) if a.crops else synthetic(a.count, a.seed)
    out = measure(models, samples, a.sure)
    if not a.crops:
        out['silentOnEmptyCrops'] = silence(models, a.count // 4, a.seed)
    print(json.dumps(out, indent=1))


if __name__ == '__main__':
    main()
