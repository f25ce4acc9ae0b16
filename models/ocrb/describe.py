#!/usr/bin/python3
"""Writes the description beside a model: what it is, how it was trained, what it measured.

 describe.py ocrb-a.onnx --version 1 --log first.log.json second.log.json --held-out figures.json

The logs are those of train.py, in the order of the runs; the figures are the
output of evaluate.py with this model among the measured ones.
"""
import argparse
import hashlib
import json
import os

from render import ALPHABET


def command(log):
    # Logs without a style are of the trainer before this one, whose runs ended by the clock.
    length = '--steps %d' % log['steps'] if 'style' in log else '--minutes %g' % log['minutes']
    text = 'train.py --net %s --seed %d %s --lr %g --whole %g %g' % (
        log['net'], log['seed'], length, log['peakLearningRate'], *log['wholeLineShare'])
    if log.get('style', log['net']) != log['net']:
        text += ' --style ' + log['style']
    return text + (' --init <checkpoint of the run before>' if log['init'] else '')


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('model')
    ap.add_argument('--version', required=True)
    ap.add_argument('--log', nargs='+', required=True)
    ap.add_argument('--held-out', required=True)
    a = ap.parse_args()
    with open(a.model, 'rb') as f:
        data = f.read()
    logs = []
    for path in a.log:
        with open(path) as f:
            logs.append(json.load(f))
    with open(a.held_out) as f:
        figures = json.load(f)
    name = os.path.basename(a.model)
    mine = figures['models'][name]
    base = os.path.splitext(a.model)[0]
    out = {
        'id': os.path.basename(base),
        'version': a.version,
        'file': name,
        'bytes': len(data),
        'sha256': hashlib.sha256(data).hexdigest(),
        'input': {'name': 'x', 'shape': ['n', 1, 32, 'w'], 'type': 'float32'},
        'output': {'name': 'logp', 'shape': ['n', 't', len(ALPHABET) + 1], 'type': 'float32',
                   'blank': 0, 'alphabet': ALPHABET, 'stride': 4},
        'trainedWith': {
            'data': 'synthetic lines only (render.py)',
            'commands': [command(x) for x in logs],
            'seeds': [x['seed'] for x in logs],
            'minutes': round(sum(x['minutes'] for x in logs), 1),
            'samples': sum(x['samples'] for x in logs),
            'torch': logs[-1]['torch'],
        },
        'heldOut': dict(set='synthetic lines of 30, 36 and 44 characters, evaluate.py', lines=figures['lines'],
                        **{k: mine[k] for k in ('characterAccuracy', 'characterErrorRate', 'exactLines')}),
    }
    with open(base + '.json', 'w') as f:
        json.dump(out, f, indent=2)
        f.write('\n')


if __name__ == '__main__':
    main()
