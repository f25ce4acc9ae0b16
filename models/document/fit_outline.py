"""Fits the weights of server/vision/documents/outline/weights.ts on what `bench-outline-features` writes.

A logistic model: each candidate is a document or none, and of one scene's candidates and the choice "none of them" at
zero the best is to win. Prints cross-validated figures and the row for weights.ts; writes nothing.

    fit_outline.py FILE...
"""

import json
import sys

import numpy as np
import torch

FOLDS = 4
# Overlap at which a candidate is as good as right, and at which it is as good as wrong.
GOOD, BAD = 0.93, 0.80
RIDGE = 2e-3


def read(files):
    names, scenes = None, {}
    for file in files:
        with open(file) as text:
            data = json.load(text)
        names = data["features"]
        for row in data["rows"]:
            scenes.setdefault(row["scene"], []).append((row["features"], row["iou"]))
    order = sorted(scenes)
    x = [np.array([features for features, _ in scenes[scene]], float) for scene in order]
    return names, order, x, [np.array([iou for _, iou in scenes[scene]]) for scene in order]


def fit(x, iou, scale):
    mean, spread = scale
    inputs = [torch.tensor((rows - mean) / spread, dtype=torch.float32) for rows in x]
    targets = [torch.tensor(np.clip((values - BAD) / (GOOD - BAD), 0, 1), dtype=torch.float32) for values in iou]
    weights = torch.zeros(len(mean), requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=300, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad()
        single, listed = [], 0
        for rows, target in zip(inputs, targets):
            scores = rows @ weights
            single.append(torch.nn.functional.binary_cross_entropy_with_logits(scores, target, reduction="sum"))
            none = 0.0 if target.max() > 0.6 else 1.0
            wanted = torch.cat([target**3, torch.tensor([none])])
            choice = torch.log_softmax(torch.cat([scores, torch.zeros(1)]), 0)
            listed = listed - (wanted / wanted.sum() * choice).sum()
        total = sum(single) / sum(map(len, inputs)) + listed / len(inputs) + RIDGE * (weights[1:] ** 2).sum()
        total.backward()
        return total

    optimiser.step(loss)
    return weights.detach().numpy() / spread, mean


def as_raw(weights, mean):
    raw = weights.copy()
    raw[0] -= (weights[1:] * mean[1:]).sum()
    return raw


def main(arguments):
    names, order, x, iou = read(arguments)
    stacked = np.concatenate(x)
    mean, spread = stacked.mean(0), stacked.std(0) + 1e-6
    mean[0], spread[0] = 0, 1
    best, has_document, top = [], [], []
    for fold in range(FOLDS):
        train = [i for i in range(len(order)) if i % FOLDS != fold]
        raw = as_raw(*fit([x[i] for i in train], [iou[i] for i in train], (mean, spread)))
        for i in range(fold, len(order), FOLDS):
            scores = x[i] @ raw
            top.append(scores.max())
            best.append(iou[i][scores.argmax()])
            has_document.append(order[i].startswith("d"))
    best, top, has_document = np.array(best), np.array(top), np.array(has_document)
    print(f"{has_document.sum()} scenes with a document, {(~has_document).sum()} without")
    print(f"best candidate above 0.92: {(best[has_document] > 0.92).mean():.3f}, mean {best[has_document].mean():.3f}")
    for threshold in (-1.1, -0.8, -0.5, 0.0):
        told = has_document & (top >= threshold)
        print(
            f"threshold {threshold}: told {told.sum()}, of these above 0.92 {(best[told] > 0.92).mean():.3f}, "
            f"false ones {(~has_document & (top >= threshold)).sum()}"
        )
    raw = as_raw(*fit(x, iou, (mean, spread)))
    print("\n".join(f"{name:16s} {value:8.3f}" for name, value in zip(names, raw)))
    print([round(float(value), 3) for value in raw])


main(sys.argv[1:])
