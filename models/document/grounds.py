"""What documents lie on and between: drawn tables, cloths, papers, keyboards, walls.

Owns backgrounds and clutter.  Never draws a document: nothing here may be taken for one.
"""
import math
import random

import cv2
import numpy as np
from PIL import Image, ImageDraw

from flat import FONTS, colour, font, word

SIZE = 288                 # pixels of one texture, square


def clouds(seed, cells, size=SIZE, octaves=4):
    """Value noise, 0 to 1; `cells` (x, y) may differ: stretched along one axis it looks like wood or cloth."""
    out, total = np.zeros((size, size), np.float32), 0
    for o in range(octaves):
        n = (min(size, int(cells[1] * 2 ** o) + 2), min(size, int(cells[0] * 2 ** o) + 2))
        k = .55 ** o
        out += k * cv2.resize(seed.rand(*n).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
        total += k
    return (out / total).clip(0, 1)


def between(a, b, t):
    a, b = np.array(a, np.float32), np.array(b, np.float32)
    return a + (b - a) * t[..., None]


def wood(rng, seed):
    t = clouds(seed, (rng.uniform(.5, 2), rng.uniform(8, 30)))
    rings = .5 + .5 * np.sin((t * rng.uniform(8, 40)))
    k = rng.uniform(.2, .8)
    base = rng.choice(((150, 110, 75), (190, 150, 105), (100, 65, 42), (215, 190, 155), (70, 50, 40), (160, 150, 140)))
    dark = tuple(c * rng.uniform(.45, .8) for c in base)
    img = between(dark, base, t * (1 - k) + rings * k)
    for i in range(rng.choice((0, 0, 3, 5))):             # joints between boards
        cv2.line(img, (0, int(SIZE * i / 5 + 9)), (SIZE, int(SIZE * i / 5 + 9)), tuple(c * .6 for c in dark), 1)
    return img


def cloth(rng, seed):
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    p = rng.uniform(3, 9)
    weave = .5 + .25 * np.sin(2 * math.pi * x / p) + .25 * np.sin(2 * math.pi * y / p)
    t = clouds(seed, (3, 3)) * .6 + weave * rng.uniform(.1, .5)
    return between(colour(rng, 10, 160), colour(rng, 60, 240), t)


def stripes(rng, seed):
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    p, q = rng.uniform(8, 60), rng.uniform(8, 60)
    t = (np.sin(2 * math.pi * x / p) > rng.uniform(-.7, .7)).astype(np.float32)
    if rng.random() < .6:                                 # checks
        t = .5 * t + .5 * (np.sin(2 * math.pi * y / q) > rng.uniform(-.7, .7))
    return between(colour(rng, 10, 250), colour(rng, 10, 250), t) + (clouds(seed, (6, 6))[..., None] - .5) * 40


def stone(rng, seed):
    t = clouds(seed, (rng.uniform(2, 6),) * 2, octaves=6)
    if rng.random() < .5:                                 # veins
        t = np.abs(np.sin(t * rng.uniform(6, 14)))
    img = between(colour(rng, 20, 220, 30), colour(rng, 60, 250, 30), t)
    return img + seed.normal(0, rng.uniform(0, 25), (SIZE, SIZE, 1))


def speckles(rng, seed):
    img = np.empty((SIZE, SIZE, 3), np.float32)
    img[:] = colour(rng, 30, 240, 40)
    for _ in range(rng.randint(40, 260)):
        cv2.ellipse(img, (rng.randint(0, SIZE), rng.randint(0, SIZE)), (rng.randint(1, 9), rng.randint(1, 6)),
                    rng.uniform(0, 180), 0, 360, colour(rng, 10, 250, 50), -1)
    return img


def keyboard(rng, seed):
    img = np.empty((SIZE, SIZE, 3), np.float32)
    img[:] = colour(rng, 10, 230, 15)
    key, ink = colour(rng, 10, 240, 20), colour(rng, 10, 250, 20)
    p = rng.randint(18, 34)
    for i in range(SIZE // p + 1):
        for j in range(-1, SIZE // p + 1):
            x, y = j * p + (i % 3) * p // 3, i * p
            cv2.rectangle(img, (x + 2, y + 2), (x + p - 2, y + p - 2), key, -1)
            cv2.circle(img, (x + p // 3, y + p // 3), max(1, p // 10), ink, -1)
    return img


def paper(rng, width, height):
    """A sheet with print on it: lines, columns, sometimes a picture or a table. Never a portrait or a zone."""
    im = Image.new('RGB', (width, height), colour(rng, 215, 252, 8))
    d = ImageDraw.Draw(im)
    kind = rng.random()
    if kind > .12:                                        # else blank
        px = rng.randint(5, max(6, height // 14))
        f, ink, y = font(rng.choice(FONTS), px), colour(rng, 10, 90, 20), px
        while y < height - px:
            if rng.random() < .12:
                y += px * rng.randint(1, 3)
            s = ' '.join(word(rng, 2, 9).lower() for _ in range(rng.randint(1, 14)))
            d.text((px, y), s[:int((width - 2 * px) / (px * .55))], font=f, fill=ink)
            y += int(px * rng.uniform(1.2, 1.7))
        if kind > .7:
            x, y = rng.randint(0, width // 2), rng.randint(0, height // 2)
            d.rectangle([x, y, x + width // 3, y + height // 4], fill=colour(rng, 20, 240, 70))
    return np.array(im)


def papers(rng, seed):
    img = clouds(seed, (3, 3))[..., None] * 60 + np.array(colour(rng, 20, 220, 40), np.float32)
    for _ in range(rng.randint(2, 6)):
        w, h = rng.randint(90, 260), rng.randint(90, 300)
        p = paper(rng, w, h)
        a, c = rng.uniform(0, 360), (rng.uniform(0, SIZE), rng.uniform(0, SIZE))
        m = cv2.getRotationMatrix2D((w / 2, h / 2), a, 1)
        m[:, 2] += (c[0] - w / 2, c[1] - h / 2)
        mask = cv2.warpAffine(np.ones((h, w), np.float32), m, (SIZE, SIZE))[..., None]
        img = img * (1 - mask) + cv2.warpAffine(p, m, (SIZE, SIZE)).astype(np.float32) * mask
    return img


def blocks(rng, seed):
    """Magazine, screen, shelf: rectangles of every colour."""
    img = np.empty((SIZE, SIZE, 3), np.float32)
    img[:] = colour(rng, 10, 250)
    for _ in range(rng.randint(5, 40)):
        x, y = rng.randint(-40, SIZE), rng.randint(-40, SIZE)
        cv2.rectangle(img, (x, y), (x + rng.randint(4, 140), y + rng.randint(4, 140)), colour(rng, 10, 250), -1)
    return img


def plain(rng, seed):
    level = rng.choice(((225, 252), (225, 252), (8, 50), (60, 220)))
    img = np.empty((SIZE, SIZE, 3), np.float32)
    img[:] = colour(rng, *level, 8 if rng.random() < .7 else 50)
    return img + (clouds(seed, (2, 2))[..., None] - .5) * rng.uniform(0, 40) + seed.normal(0, rng.uniform(0, 4), (SIZE, SIZE, 1))


TEXTURES = ((wood, 5), (cloth, 3), (stripes, 2), (stone, 4), (speckles, 1), (keyboard, 1), (papers, 3), (blocks, 2), (plain, 7))


def make_texture(number):
    """The texture with this number: always the same."""
    rng = random.Random(number)
    draw = rng.choices([t[0] for t in TEXTURES], weights=[t[1] for t in TEXTURES])[0]
    return draw(rng, np.random.RandomState(rng.getrandbits(32))).clip(0, 255).astype(np.uint8)


def background(rng, texture, width, height):
    """A cut of a texture in some scale, turn and tint."""
    if rng.random() < .5 or width > height:
        texture = texture.swapaxes(0, 1) if rng.random() < .5 else texture
    s = max(width, height) / SIZE * rng.uniform(.9, 3)
    m = cv2.getRotationMatrix2D((SIZE / 2, SIZE / 2), rng.choice((0, 90, rng.uniform(0, 360))), s)
    m[:, 2] += (width / 2 - SIZE / 2 + rng.uniform(-20, 20), height / 2 - SIZE / 2 + rng.uniform(-20, 20))
    img = cv2.warpAffine(np.ascontiguousarray(texture), m, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return img.astype(np.float32)


def clutter(rng, img):
    """Cups, pens, cables, phones, sheets (in place)."""
    h, w = img.shape[:2]
    unit = max(h, w)
    for _ in range(rng.choice((0, 1, 1, 2, 4, 7))):
        x, y, kind, tint = rng.uniform(-.1, 1.1) * w, rng.uniform(-.1, 1.1) * h, rng.random(), colour(rng, 5, 250)
        if kind < .3:                                     # pen, ruler, edge of a table
            a, r = rng.uniform(0, math.pi), unit * rng.uniform(.2, 1.5)
            p, q = (int(x - r * math.cos(a)), int(y - r * math.sin(a))), (int(x + r * math.cos(a)), int(y + r * math.sin(a)))
            cv2.line(img, p, q, tint, rng.randint(1, 9), cv2.LINE_AA)
        elif kind < .5:                                   # cup, coin, lens
            r = int(unit * rng.uniform(.02, .25))
            cv2.circle(img, (int(x), int(y)), r, tint, -1, cv2.LINE_AA)
            cv2.circle(img, (int(x), int(y)), r, colour(rng, 5, 250), rng.randint(1, 5), cv2.LINE_AA)
        elif kind < .6:                                   # cable
            t = np.linspace(0, 1, 30)
            p = np.stack([x + unit * (t - .5) * 1.5, y + unit * .15 * np.sin(t * rng.uniform(3, 9))], 1)
            cv2.polylines(img, [p.astype(np.int32)], False, tint, rng.randint(1, 4), cv2.LINE_AA)
        else:                                             # book, phone, sheet of paper
            a, aspect = rng.uniform(0, math.pi), rng.uniform(1, 2.2)
            s = unit * rng.uniform(.15, .7)
            box = cv2.boxPoints(((x, y), (s, s / aspect), math.degrees(a))).astype(np.float32)
            if kind < .8:
                cv2.fillConvexPoly(img, box.astype(np.int32), tint, cv2.LINE_AA)
                if rng.random() < .4:
                    inner = (box - box.mean(0)) * rng.uniform(.7, .95) + box.mean(0)
                    cv2.fillConvexPoly(img, inner.astype(np.int32), colour(rng, 5, 250), cv2.LINE_AA)
            else:
                sheet = paper(rng, 160, int(160 / aspect) if rng.random() < .5 else int(160 * min(aspect, 1.5)))
                src = np.array([[0, 0], [sheet.shape[1], 0], [sheet.shape[1], sheet.shape[0]], [0, sheet.shape[0]]], np.float32)
                m = cv2.getPerspectiveTransform(src, box)
                mask = cv2.warpPerspective(np.ones(sheet.shape[:2], np.float32), m, (w, h))[..., None]
                img *= 1 - mask
                img += cv2.warpPerspective(sheet, m, (w, h)).astype(np.float32) * mask
