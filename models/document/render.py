#!/usr/bin/python3
"""Scenes for the document locator: flat documents photographed on drawn grounds.

Owns geometry, light, hands, camera and labels; flat.py draws the documents, grounds.py what they
lie on.  Nothing here reads a photograph: all training material is drawn.

A batch is a pure function of (seed, number of the batch): a run that was cut off goes on with the
very next batch, and held-out sets are other seeds.  Documents are dear to draw, so a batch takes
them from a window of POOL numbered documents that moves on by FRESH a batch.

Contract with training, evaluation and the product (letterbox, INPUT_SHAPES, MARGIN, STRIDE,
normalise) stands here once.  Run this file to see a contact sheet and the time per scene.
"""
import argparse
import math
import random
import time

import cv2
import numpy as np

import flat
import grounds

# --- the contract ------------------------------------------------------------
STRIDE = 4                 # pixels of the input per cell of the output
MARGIN = 16                # pixels around the picture, so that a corner just outside still has a place
# (width, height) of the input, margins included, all of about 40 000 pixels; the product takes the one whose picture
# area is nearest in shape to the photograph.
INPUT_SHAPES = ((208, 208), (224, 176), (256, 160), (176, 224), (160, 256))
OUTSIDE = -1.0             # value of input pixels that no picture covers; pictures are -0.5 to 0.5
CHANNELS = ('document', 'front', 'topLeft', 'topRight', 'bottomRight', 'bottomLeft', 'alongX', 'alongY')
CORNERS = slice(2, 6)
ALONG = slice(6, 8)        # direction of the text in the picture, (1 + cosine) / 2 and (1 + sine) / 2; a half where not sure
SIGMA = 1.3                # cells: width of a corner's hill in the labels

POOL, FRESH, TEXTURES = 160, 2, 48
SCENES = (('scene', .60), ('cut', .10), ('fill', .14), ('pair', .05), ('nothing', .11))
SKINS = ((238, 200, 175), (224, 178, 148), (196, 146, 112), (158, 108, 78), (112, 74, 54), (78, 52, 42))


def letterbox(width, height):
    """(shape, scale, offset x, offset y) which put a picture of this size into the input."""
    def misfit(shape):
        return abs(math.log((shape[0] - 2 * MARGIN) / (shape[1] - 2 * MARGIN) * height / width))
    shape = min(INPUT_SHAPES, key=misfit)
    scale = min((shape[0] - 2 * MARGIN) / width, (shape[1] - 2 * MARGIN) / height)
    return shape, scale, (shape[0] - width * scale) / 2, (shape[1] - height * scale) / 2


def normalise(rgb):
    """Picture 0..255 -> -0.5..0.5."""
    return rgb.astype(np.float32) / 255 - .5


class Pool:
    """Numbered things drawn when first asked for; the oldest are forgotten."""

    def __init__(self, make, keep):
        self.make, self.keep, self.held = make, keep, {}

    def __getitem__(self, number):
        if number not in self.held:
            while len(self.held) >= self.keep:
                del self.held[min(self.held)]
            self.held[number] = self.make(number)
        return self.held[number]


class Scene:
    """One picture, w x h, and the documents in it: (quad [4, 2] in the order of the content, front)."""

    def __init__(self, rng, width, height, ground):
        self.rng, self.w, self.h = rng, width, height
        self.img = ground
        self.documents = []
        self.noise = np.random.default_rng(rng.getrandbits(32))

    def mask_of(self, draw):
        m = np.zeros((self.h, self.w), np.float32)
        draw(m)
        return m

    def place(self, doc, size, centre, turn, tilt):
        """
        Puts a sheet into the picture; `size` is the long side of its document's bounding box in pixels, `centre` a
        point or a function from the box's (width, height) to it.
        """
        rng = self.rng
        x0, y0, x1, y1 = doc.rect
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
        rect = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64)
        scale = np.array(doc.size) / (rect[2] - rect[0])                     # sheet's size in mm
        middle = rect.mean(0)
        corners = seen((unit - middle) * scale, turn, tilt, rng.random() * 2 * math.pi, max(doc.size) * rng.uniform(1.4, 5))
        m = cv2.getPerspectiveTransform(unit.astype(np.float32), corners.astype(np.float32))
        quad = cv2.perspectiveTransform(rect[None], m.astype(np.float64))[0]
        span = quad.max(0) - quad.min(0)
        k = size / max(span)
        shift = np.array(centre(span * k) if callable(centre) else centre) - (quad.max(0) + quad.min(0)) / 2 * k
        m = np.array([[k, 0, shift[0]], [0, k, shift[1]], [0, 0, 1]]) @ m
        quad = quad * k + shift
        side = max(np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3])) / (x1 - x0)
        level = next((v for v in reversed(doc.levels) if v.shape[1] >= side * .95), doc.levels[0])
        m = m @ np.diag([1 / level.shape[1], 1 / level.shape[0], 1])
        sheet = cv2.warpPerspective(level, m, (self.w, self.h), flags=cv2.INTER_LINEAR)
        alpha = sheet[..., 3:].astype(np.float32) / 255
        self.contact_shadow(alpha[..., 0], size)
        self.img = self.img * (1 - alpha) + self.printed(sheet[..., :3].astype(np.float32)) * alpha
        self.documents.append((quad, doc.front))
        return quad

    def printed(self, sheet):
        """The same document in other print: tint, fading, grey copy."""
        rng = self.rng
        r = rng.random()
        if r < .12:
            sheet = np.repeat(sheet.mean(2, keepdims=True), 3, 2)
        elif r < .5:
            sheet = sheet * np.array([rng.uniform(.8, 1.1) for _ in range(3)], np.float32)
        if rng.random() < .3:                             # pale: ink and ground near each other
            sheet = 255 - (255 - sheet) * rng.uniform(.35, .9)
        return sheet.clip(0, 255)

    def contact_shadow(self, alpha, size):
        rng = self.rng
        if rng.random() < .75:
            r = size * rng.uniform(.004, .05)
            dx, dy = rng.gauss(0, r), rng.gauss(0, r)
            s = cv2.warpAffine(alpha, np.float32([[1, 0, dx], [0, 1, dy]]), (self.w, self.h))
            self.img *= (1 - cv2.GaussianBlur(s, (0, 0), max(.5, r)) * rng.uniform(.1, .6))[..., None]

    def finger(self, tip, towards, width, skin):
        """A capsule with a nail, shaded across; it reaches from beyond `towards` to `tip`."""
        rng = self.rng
        tip, towards = np.array(tip, float), np.array(towards, float)
        core = self.mask_of(lambda m: cv2.line(m, tuple(int(v) for v in tip), tuple(int(v) for v in towards), 1, max(2, int(width)), cv2.LINE_AA))
        body = cv2.GaussianBlur(core, (0, 0), max(.4, width * .05))
        self.img *= (1 - cv2.GaussianBlur(core, (0, 0), max(1, width * .3)) * rng.uniform(0, .45))[..., None]
        relief = .7 + .35 * cv2.GaussianBlur(core, (0, 0), max(.5, width * .25))
        self.img = self.img * (1 - body[..., None]) + np.array(skin, np.float32) * relief[..., None] * body[..., None]
        if rng.random() < .6:
            d = (towards - tip) / (np.linalg.norm(towards - tip) + 1e-6)
            at = tip + d * width * .1
            nail = tuple(min(255, c * rng.uniform(1.0, 1.25) + 8) for c in skin)
            cv2.ellipse(self.img, tuple(int(v) for v in at), (max(1, int(width * .3)), max(1, int(width * .22))),
                        math.degrees(math.atan2(d[1], d[0])), 0, 360, nail, -1, cv2.LINE_AA)

    def hand(self, quad):
        """Thumb and fingers over one side of the document."""
        rng = self.rng
        skin = tuple(c * rng.uniform(.8, 1.08) for c in rng.choice(SKINS))
        i = rng.randint(0, 3)
        a, b = quad[i], quad[(i + 1) % 4]
        middle = quad.mean(0)
        side = np.linalg.norm(b - a)
        width = side * rng.uniform(.08, .2)
        at = rng.uniform(-.05, 1.05)
        for k in range(rng.choice((1, 1, 2, 3, 4))):
            p = a + (b - a) * (at + k * width / side * 1.1)
            inward = (middle - p) / (np.linalg.norm(middle - p) + 1e-6)
            self.finger(p + inward * side * rng.uniform(-.05, .22), p - inward * side * rng.uniform(.6, 2) + np.array([rng.gauss(0, .2), rng.gauss(0, .2)]) * side, width, skin)

    def palm(self, quad):
        """A hand under the document or beside it: drawn before the document."""
        rng = self.rng
        skin = np.array([c * rng.uniform(.75, 1.05) for c in rng.choice(SKINS)], np.float32)
        c = quad.mean(0) + np.array([rng.gauss(0, .4), rng.gauss(0, .4)]) * self.w * .5
        size = self.w * rng.uniform(.15, .5)
        m = self.mask_of(lambda m: cv2.ellipse(m, tuple(int(v) for v in c), (int(size), int(size * rng.uniform(.4, .9))), rng.uniform(0, 180), 0, 360, 1, -1, cv2.LINE_AA))
        shade = .75 + .3 * cv2.GaussianBlur(m, (0, 0), size * .2)
        self.img = self.img * (1 - m[..., None]) + skin * shade[..., None] * m[..., None]

    def light(self):
        """Uneven light, shadows of people and things, reflections."""
        rng, h, w = self.rng, self.h, self.w
        if rng.random() < .6:
            t = cv2.resize(self.noise.random((2, 2), np.float32), (w, h), interpolation=cv2.INTER_LINEAR)
            self.img *= (1 - rng.uniform(.1, .6) * t)[..., None]
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            n = rng.randint(3, 7)
            c, r = (rng.uniform(0, w), rng.uniform(0, h)), max(w, h) * rng.uniform(.15, .8)
            p = np.array([(c[0] + r * rng.uniform(.3, 1) * math.cos(2 * math.pi * i / n), c[1] + r * rng.uniform(.3, 1) * math.sin(2 * math.pi * i / n)) for i in range(n)])
            m = self.mask_of(lambda m: cv2.fillPoly(m, [p.astype(np.int32)], 1, cv2.LINE_AA))
            m = cv2.GaussianBlur(m, (0, 0), rng.choice((.6, 2, 6, 14)))
            self.img *= (1 - m * rng.uniform(.1, .6))[..., None]
        if rng.random() < .22:
            for _ in range(rng.randint(1, 2)):
                axes = (max(1, int(w * rng.uniform(.02, .2))), max(1, int(w * rng.uniform(.01, .12))))
                m = self.mask_of(lambda m: cv2.ellipse(m, (rng.randint(0, w), rng.randint(0, h)), axes, rng.uniform(0, 180), 0, 360, 1, -1))
                m = cv2.GaussianBlur(m, (0, 0), max(1, axes[1] * rng.uniform(.1, .8)))[..., None]
                self.img = self.img * (1 - m) + (self.img + rng.uniform(60, 255)) * m

    def camera(self):
        """Exposure, tint, blur, noise, compression."""
        rng = self.rng
        img = self.img
        if rng.random() < .5:
            img = img * np.array([rng.uniform(.75, 1.15) for _ in range(3)], np.float32)
        if rng.random() < .6:
            low, gain = rng.uniform(-15, 45), rng.choice((rng.uniform(.35, .7), rng.uniform(.7, 1.1), rng.uniform(.7, 1.1), rng.uniform(1.05, 1.5)))
            img = low + img * gain
        if rng.random() < .3:
            img = 255 * (img.clip(0, 255) / 255) ** rng.uniform(.6, 1.7)
        if rng.random() < .12:
            img = np.repeat(img.mean(2, keepdims=True), 3, 2)
        if rng.random() < .35:
            img = cv2.GaussianBlur(img, (0, 0), rng.uniform(.3, 1.6))
        if rng.random() < .06:
            n = rng.randint(3, 7)
            kernel = np.zeros((n, n), np.float32)
            cv2.line(kernel, (0, rng.randint(0, n - 1)), (n - 1, rng.randint(0, n - 1)), 1)
            img = cv2.filter2D(img, -1, kernel / max(1, kernel.sum()))
        if rng.random() < .2:
            sharp = cv2.GaussianBlur(img, (0, 0), 1)
            img = img + (img - sharp) * rng.uniform(.3, 1.5)
        if rng.random() < .5:
            grain = self.noise.standard_normal((self.h, self.w, rng.choice((1, 1, 3))), np.float32)
            img = img + grain * rng.uniform(.5, 9)
        img = img.clip(0, 255).astype(np.uint8)
        if rng.random() < .2:
            img = cv2.imdecode(cv2.imencode('.jpg', img, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(25, 85)])[1], cv2.IMREAD_COLOR)
        return img


def seen(points, turn, tilt, about, distance):
    """Points of a plane (mm) as a camera sees them: turned in the plane, tilted about an axis in it, in perspective."""
    c, s = math.cos(turn), math.sin(turn)
    p = points @ np.array([[c, s], [-s, c]])
    axis = np.array([math.cos(about), math.sin(about)])
    along = p @ axis
    across = p @ np.array([-axis[1], axis[0]])
    depth = distance + across * math.sin(tilt)
    across = across * math.cos(tilt)
    flat_points = np.outer(along, axis) + np.outer(across, [-axis[1], axis[0]])
    return flat_points * (distance / np.maximum(depth, distance * .2))[:, None]


class Renderer:
    """Batches of scenes with labels; the same (seed, index) gives the same batch in every process."""

    def __init__(self, seed):
        self.seed = seed
        self.documents = Pool(lambda n: flat.make_document('document %d %d' % (seed, n)), POOL + 64)
        self.textures = Pool(lambda n: grounds.make_texture('texture %d %d' % (seed, n)), TEXTURES + 32)

    def batch(self, index, count, shape=None):
        """(input [count, 3, h, w], labels [count, 6, h/4, w/4], quads of each picture in cells)."""
        rng = random.Random('batch %d %d' % (self.seed, index))
        shape = shape or rng.choice(INPUT_SHAPES)
        first = index * FRESH
        got = [self.scene(rng, shape, lambda: self.documents[first + rng.randrange(POOL)],
                          self.textures[index + rng.randrange(TEXTURES)]) for _ in range(count)]
        return np.stack([g[0] for g in got]), np.stack([g[1] for g in got]), [g[2] for g in got]

    def scene(self, rng, shape, document, texture, kind=None):
        W, H = shape
        room = (W - 2 * MARGIN, H - 2 * MARGIN)
        kind = kind or rng.choices([s[0] for s in SCENES], weights=[s[1] for s in SCENES])[0]
        aspect = room[0] / room[1] * math.exp(rng.uniform(-.16, .16))
        w, h = (room[0], round(room[0] / aspect)) if aspect > room[0] / room[1] else (round(room[1] * aspect), room[1])
        quarter = rng.randrange(4) * math.pi / 2
        doc = document() if kind != 'nothing' else None
        if kind == 'fill' and doc.kind != 'booklet' and rng.random() < .7:   # the picture is the document, little else
            a = doc.size[0] / doc.size[1] if round(quarter / math.pi * 2) % 2 == 0 else doc.size[1] / doc.size[0]
            a *= math.exp(rng.uniform(-.03, .03))
            w, h = (room[0], round(room[0] / a)) if a > room[0] / room[1] else (round(room[1] * a), room[1])
        s = Scene(rng, w, h, grounds.background(rng, texture, w, h))
        if kind in ('scene', 'cut', 'nothing') and rng.random() < .65:
            grounds.clutter(rng, s.img)
        if kind == 'nothing':
            self.empty_scene(rng, s)
        elif kind == 'fill':
            s.place(doc, max(w, h) * rng.uniform(.93, 1.04), (w / 2 + rng.gauss(0, 2), h / 2 + rng.gauss(0, 2)),
                    quarter + rng.gauss(0, .015), abs(rng.gauss(0, .04)))
        elif kind == 'pair':                              # both sides of a card on one sheet
            spread = (0, h * .25) if h >= w * .8 else (w * .25, 0)
            for sign in (-1, 1):
                s.place(document(), (min(w, h * .75) if spread[1] else min(w * .48, h)) * rng.uniform(.75, .97),
                        (w / 2 + sign * spread[0], h / 2 + sign * spread[1]), rng.choice((0, 0, 0, quarter)) + rng.gauss(0, .02), abs(rng.gauss(0, .03)))
        else:
            self.lay(rng, s, doc, kind, quarter)
        if kind != 'fill' or rng.random() < .4:
            s.light()
        return self.labelled(s.camera(), s.documents, shape)

    def lay(self, rng, s, doc, kind, quarter):
        turn = quarter + (rng.gauss(0, .18) if rng.random() < .8 else rng.uniform(-math.pi / 4, math.pi / 4))
        tilt = abs(rng.gauss(0, .3)) if rng.random() < .8 else rng.uniform(.3, .8)
        size = max(s.w, s.h) * rng.uniform(.28, .95)
        if kind == 'cut':
            size = max(s.w, s.h) * rng.uniform(.6, 1.2)
            a, reach = rng.uniform(0, 2 * math.pi), rng.uniform(.15, .5)
            centre = (s.w * (.5 + reach * math.cos(a)), s.h * (.5 + reach * math.sin(a)))
        else:
            upright = abs(math.cos(turn)) > .7
            size = min(size, (s.w if upright else s.h) * rng.uniform(.5, 1.02), (s.h if upright else s.w) * rng.uniform(.9, 1.6))
            u, v = rng.uniform(-1, 1), rng.uniform(-1, 1)

            def centre(span):
                return s.w / 2 + u * max(0, s.w - span[0]) / 2, s.h / 2 + v * max(0, s.h - span[1]) / 2
        if rng.random() < .18:
            c, r = np.array([s.w, s.h]) * (.5 + rng.gauss(0, .1)), size / 3
            s.palm(np.array([c + (-r, -r), c + (r, -r), c + (r, r), c + (-r, r)]))
        quad = s.place(doc, size, centre, turn, min(tilt, 1.0))
        if rng.random() < .3:
            s.hand(quad)

    def empty_scene(self, rng, s):
        """Tables, papers and hands without any document."""
        middle = np.array([s.w, s.h]) * (.5 + np.array([rng.gauss(0, .15), rng.gauss(0, .15)]))
        r = max(s.w, s.h) * rng.uniform(.1, .35)
        quad = np.array([middle + (-r, -r * .6), middle + (r, -r * .6), middle + (r, r * .6), middle + (-r, r * .6)])
        if rng.random() < .3:
            s.palm(quad)
        if rng.random() < .65:                            # a blank or printed sheet, a closed book
            sheet = grounds.paper(rng, 200, rng.randint(120, 290))
            if rng.random() < .6:
                sheet[:] = flat.colour(rng, 200, 250, 10) if rng.random() < .65 else flat.colour(rng, 10, 250, 50)
            m = cv2.getPerspectiveTransform(np.float32([[0, 0], [200, 0], [200, sheet.shape[0]], [0, sheet.shape[0]]]),
                                            np.float32(seen(quad * rng.uniform(1, 1.8) - middle, rng.uniform(0, 6.3), abs(rng.gauss(0, .3)), 1, r * 4) + middle))
            mask = cv2.warpPerspective(np.ones(sheet.shape[:2], np.float32), m, (s.w, s.h))[..., None]
            s.img = s.img * (1 - mask) + cv2.warpPerspective(sheet, m, (s.w, s.h)).astype(np.float32) * mask
        if rng.random() < .3:
            s.hand(quad)

    def labelled(self, img, documents, shape):
        W, H = shape
        h, w = img.shape[:2]
        ox, oy = (W - w) // 2, (H - h) // 2
        x = np.full((3, H, W), OUTSIDE, np.float32)
        x[:, oy:oy + h, ox:ox + w] = normalise(img).transpose(2, 0, 1)
        gw, gh = W // STRIDE, H // STRIDE
        y = np.zeros((len(CHANNELS), gh, gw), np.float32)
        y[ALONG] = .5
        cells = []
        gy, gx = np.mgrid[0:gh, 0:gw].astype(np.float32)
        for quad, front in documents:
            q = (quad + (ox + .5, oy + .5)) / STRIDE - .5      # centres of cells are whole numbers
            # Four times finer than the cells, then averaged: the share of the cell that the document covers.
            fine = np.zeros((gh * 4, gw * 4), np.uint8)
            cv2.fillConvexPoly(fine, np.round((q + .5) * 4 - .5).astype(np.int32), 255)
            cover = cv2.resize(fine, (gw, gh), interpolation=cv2.INTER_AREA).astype(np.float32) / 255
            y[0] = np.maximum(y[0], cover)
            if front:
                y[1] = np.maximum(y[1], cover)
            else:
                y[1] = np.minimum(y[1], 1 - cover)
            along = q[1] - q[0] + q[2] - q[3]
            y[ALONG, cover > .5] = ((1 + along / np.linalg.norm(along)) / 2)[:, None]
            for k in range(4):
                hill = np.exp(-((gx - q[k, 0]) ** 2 + (gy - q[k, 1]) ** 2) / (2 * SIGMA ** 2))
                y[2 + k] = np.maximum(y[2 + k], hill)
            cells.append((q, front))
        return x, y, cells


def main():
    ap = argparse.ArgumentParser(description='Contact sheet of scenes with their corners, and the time one takes.')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--index', type=int, default=0, help='number of the batch')
    ap.add_argument('--count', type=int, default=40)
    ap.add_argument('--out', default='/tmp/document-scenes.png')
    a = ap.parse_args()
    cv2.setNumThreads(1)
    r = Renderer(a.seed)
    r.batch(a.index, a.count)
    t = time.process_time()
    x, _, quads = r.batch(a.index + 1, a.count, (224, 176))
    print('%.2f ms of processor time per scene' % ((time.process_time() - t) / a.count * 1e3))
    tiles = []
    for picture, documents in zip(x, quads):
        tile = np.ascontiguousarray((picture.transpose(1, 2, 0)[..., ::-1] * 255 + 127.5).clip(0, 255).astype(np.uint8))
        for quad, front in documents:
            for k, tint in enumerate(((0, 0, 255), (0, 255, 0), (255, 0, 0), (0, 255, 255))):
                p = (quad[k] + .5) * STRIDE - .5
                cv2.circle(tile, tuple(int(round(v)) for v in p), 3, tint, 1)
        tiles.append(tile)
    while len(tiles) % 8:
        tiles.append(tiles[-1] * 0)
    cv2.imwrite(a.out, np.vstack([np.hstack(tiles[i:i + 8]) for i in range(0, len(tiles), 8)]))


if __name__ == '__main__':
    main()
