#!/usr/bin/python3
"""Writes the description beside the model: what it is, how it was trained, what it measured.

 describe.py document-locator.onnx --version 1 --log RUN.log.json --held-out figures.json

The log is that of train.py (several runs in their order), the figures are the output of evaluate.py.
"""
import argparse
import hashlib
import json
import os

from render import CHANNELS, INPUT_SHAPES, MARGIN, STRIDE


def read(path):
    with open(path) as f:
        return json.load(f)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    ap.add_argument('model')
    ap.add_argument('--version', required=True)
    ap.add_argument('--log', nargs='+', required=True)
    ap.add_argument('--held-out', required=True)
    ap.add_argument('--pictures', nargs='*', default=[], help='outputs of evaluate.py --pictures; their names say what they are')
    a = ap.parse_args()
    with open(a.model, 'rb') as f:
        data = f.read()
    logs = [read(path) for path in a.log]
    figures = read(a.held_out)
    base = os.path.splitext(a.model)[0]
    out = {
        'id': os.path.basename(base),
        'version': a.version,
        'file': os.path.basename(a.model),
        'bytes': len(data),
        'sha256': hashlib.sha256(data).hexdigest(),
        'input': {'name': 'x', 'shape': ['n', 3, 'h', 'w'], 'type': 'float32', 'shapes': [list(s) for s in INPUT_SHAPES],
                  'margin': MARGIN},
        'output': {'name': 'maps', 'shape': ['n', len(CHANNELS), 'h/4', 'w/4'], 'type': 'float32',
                   'channels': list(CHANNELS), 'stride': STRIDE},
        'trainedWith': {
            'data': 'synthetic scenes only (render.py)',
            'runs': logs,
            'seeds': [log['seed'] for log in logs],
            'minutes': round(sum(log['minutes'] for log in logs), 1),
        },
        'heldOut': figures,
        'pictures': [read(path) for path in a.pictures],
    }
    with open(base + '.json', 'w') as f:
        json.dump(out, f, indent=2)
        f.write('\n')


if __name__ == '__main__':
    main()
