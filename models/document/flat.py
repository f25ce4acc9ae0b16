"""Flat pictures of invented documents, drawn line by line: what a scene photographs.

Owns how a document looks when it lies straight before the eye: ID-1 cards, TD2, TD3 pages and
open booklets, front and back, licences, insurance cards.  Never places anything in a scene, reads
no photograph and imitates no state's print: flags, names, numbers and guilloches are random.

Lengths are millimetres (ICAO Doc 9303 parts 4 to 6, ISO/IEC 7810) times the document's pixels a
millimetre.  Proportions without a source are free choices, wide on purpose: a network that has
seen every arrangement looks for what they share.
"""
import math
import random

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FLAT_WIDTH = 640           # drawn at this width, kept at half of it and below: smooth when far away
LEVELS = 3                 # kept sizes: 320, 160 and 80 px
ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
DIGITS = '0123456789'
# Debian: fonts-ocr-b fonts-dejavu-core fonts-liberation fonts-freefont-ttf
OCRB = '/usr/share/fonts/opentype/ocr-b/OCRB.otf'
TRUETYPE = '/usr/share/fonts/truetype/'
FONTS = [TRUETYPE + name for name in (
    'dejavu/DejaVuSans.ttf', 'dejavu/DejaVuSans-Bold.ttf', 'dejavu/DejaVuSansCondensed.ttf', 'dejavu/DejaVuSerif.ttf',
    'liberation/LiberationSans-Regular.ttf', 'liberation/LiberationSans-Bold.ttf',
    'liberation/LiberationSansNarrow-Regular.ttf', 'liberation/LiberationSerif-Regular.ttf',
    'liberation/LiberationMono-Regular.ttf', 'freefont/FreeSans.ttf', 'freefont/FreeSansBold.ttf',
    'freefont/FreeMono.ttf', 'freefont/FreeSerifBold.ttf')]
# kind, share, width and height in mm
KINDS = (
    ('card-front', .22, 85.6, 53.98), ('card-back', .17, 85.6, 53.98), ('licence-front', .09, 85.6, 53.98),
    ('licence-back', .06, 85.6, 53.98), ('plain-card', .05, 85.6, 53.98), ('td2', .09, 105, 74),
    ('td3', .14, 125, 88), ('booklet', .18, 125, 88))
CORNER_MM = 3.18           # ISO/IEC 7810: radius of an ID-1 card's corners
INKS = ((20, 20, 25), (20, 20, 25), (20, 20, 25), (40, 40, 60), (70, 30, 30), (25, 45, 90))

_fonts = {}


def font(path, px):
    px = max(5, int(px))
    if (path, px) not in _fonts:
        _fonts[path, px] = ImageFont.truetype(path, px)
    return _fonts[path, px]


class FlatDocument:
    """RGBA pictures of a sheet, large to small; `rect` is the document in shares of the sheet (x0, y0, x1, y1)."""

    def __init__(self, sheet, rect, size, front, kind):
        self.levels = [cv2.resize(sheet, None, fx=.5 ** k, fy=.5 ** k, interpolation=cv2.INTER_AREA)
                       for k in range(1, LEVELS + 1)]
        self.rect, self.size, self.front, self.kind = rect, size, front, kind


def word(rng, lo=3, hi=10):
    return ''.join(rng.choice(ALPHABET) for _ in range(rng.randint(lo, hi)))


def colour(rng, lo, hi, spread=60):
    base = rng.uniform(lo, hi)
    return tuple(int(np.clip(base + rng.uniform(-spread, spread), 0, 255)) for _ in range(3))


class Page:
    """One side of one document while it is drawn."""

    def __init__(self, rng, width_mm, height_mm):
        self.rng, self.mm = rng, FLAT_WIDTH / width_mm
        self.w, self.h = FLAT_WIDTH, round(FLAT_WIDTH * height_mm / width_mm)
        self.image = Image.fromarray(self.ground())
        self.draw = ImageDraw.Draw(self.image)
        self.face = rng.choice(FONTS)
        self.ink = rng.choice(INKS)

    def ground(self):
        """Paper: plain, a run of two tints, or cloudy."""
        rng = self.rng
        a = np.array(colour(rng, 205, 252, 12) if rng.random() < .45 else colour(rng, 130, 235, 45), np.float32)
        kind = rng.random()
        if kind < .3:
            img = np.tile(a, (self.h, self.w, 1))
        else:
            b = np.array(colour(rng, 150, 250, 45), np.float32)
            if kind < .7:
                angle = rng.uniform(0, 2 * math.pi)
                x, y = np.meshgrid(np.linspace(-1, 1, self.w), np.linspace(-1, 1, self.h))
                t = np.clip((x * math.cos(angle) + y * math.sin(angle)) * rng.uniform(.4, 1.2) + .5, 0, 1)
            else:
                seed = np.random.RandomState(rng.getrandbits(32))
                t = cv2.resize(seed.rand(rng.randint(2, 5), rng.randint(2, 6)), (self.w, self.h),
                               interpolation=cv2.INTER_CUBIC).clip(0, 1)
            img = a + (b - a) * t[..., None].astype(np.float32)
        img = img.clip(0, 255).astype(np.uint8)
        if rng.random() < .75:
            self.guilloche(img)
        return img

    def guilloche(self, img):
        """Families of fine waves, and sometimes rosettes."""
        rng = self.rng
        layer = img.copy()
        for _ in range(rng.randint(1, 3)):
            tint = colour(rng, 90, 220, 70)
            x = np.arange(0, self.w + 8, 8)
            step, f, amp = rng.uniform(5, 18), rng.uniform(.005, .04), rng.uniform(2, 16)
            vertical = rng.random() < .25
            for i in range(int((self.w if vertical else self.h) / step) + 2):
                y = i * step + amp * np.sin(x * f + i * .13) + 4 * np.sin(x * f * 2.7)
                line = np.stack([y, x] if vertical else [x, y], 1).astype(np.int32)
                cv2.polylines(layer, [line], False, tint, 1, cv2.LINE_AA)
        if rng.random() < .4:
            c = (rng.randint(0, self.w), rng.randint(0, self.h))
            for i in range(rng.randint(8, 24)):
                cv2.ellipse(layer, c, (rng.randint(30, 110), rng.randint(10, 60)), i * 15, 0, 360,
                            colour(rng, 90, 220, 70), 1, cv2.LINE_AA)
        k = rng.uniform(.15, .9)
        img[:] = (img * (1 - k) + layer * k).astype(np.uint8)

    def text(self, x, y, size_mm, s, face=None, ink=None):
        self.draw.text((x * self.mm, y * self.mm), s, font=font(face or self.face, size_mm * self.mm * 1.25),
                       fill=ink or self.ink)

    def box(self, x0, y0, x1, y1, fill, outline=None):
        self.draw.rectangle([x0 * self.mm, y0 * self.mm, x1 * self.mm, y1 * self.mm], fill=fill, outline=outline)

    def portrait(self, x, y, w, h, ghost=False):
        """A head in front of a wall: ovals, no likeness of anybody."""
        rng = self.rng
        s = 3
        pw, ph = max(8, int(w * self.mm)), max(8, int(h * self.mm))
        wall = colour(rng, 170, 245, 14) if rng.random() < .75 else colour(rng, 80, 200, 50)
        im = Image.new('RGB', (pw * s // 2, ph * s // 2), wall)
        d = ImageDraw.Draw(im)
        W, H = im.size
        skin = rng.choice(((240, 205, 180), (225, 180, 150), (200, 150, 115), (160, 110, 80), (110, 72, 52), (75, 50, 40)))
        skin = tuple(int(np.clip(c + rng.uniform(-15, 15), 0, 255)) for c in skin)
        hair = rng.choice(((30, 25, 25), (60, 40, 30), (110, 75, 45), (170, 130, 80), (140, 140, 140), (90, 35, 20), (215, 205, 190)))
        cx, cy = W * rng.uniform(.46, .54), H * rng.uniform(.4, .48)
        rx, ry = W * rng.uniform(.2, .27), H * rng.uniform(.22, .29)
        style = rng.random()
        if style < .45:                                   # hair to the shoulders
            d.ellipse([cx - rx * 1.4, cy - ry * 1.4, cx + rx * 1.4, cy + ry * rng.uniform(1.3, 2.2)], fill=hair)
        d.ellipse([cx - W * .48, H * rng.uniform(.74, .82), cx + W * .48, H * 1.4], fill=colour(rng, 20, 230, 60))
        d.rectangle([cx - rx * .45, cy, cx + rx * .45, cy + ry * 1.5], fill=tuple(int(c * .85) for c in skin))
        if style < .92:
            d.ellipse([cx - rx * 1.12, cy - ry * 1.28, cx + rx * 1.12, cy + ry * .4], fill=hair)
        d.ellipse([cx - rx, cy - ry * (.85 if style < .92 else 1.05), cx + rx, cy + ry * 1.1], fill=skin)
        if rng.random() < .2:
            d.chord([cx - rx * .95, cy - ry * .2, cx + rx * .95, cy + ry * 1.15], 20, 160, fill=hair)
        dark = tuple(int(c * rng.uniform(.25, .5)) for c in skin)
        for side in (-1, 1):
            ex = cx + side * rx * .42
            d.ellipse([ex - rx * .17, cy - ry * .12, ex + rx * .17, cy + ry * .02], fill=dark)
            d.line([ex - rx * .25, cy - ry * .28, ex + rx * .25, cy - ry * .3], fill=hair, width=max(1, W // 40))
        d.line([cx, cy, cx - rx * .1, cy + ry * .4], fill=tuple(int(c * .8) for c in skin), width=max(1, W // 40))
        d.ellipse([cx - rx * .35, cy + ry * .6, cx + rx * .35, cy + ry * .72], fill=(int(skin[0] * .75), int(skin[1] * .5), int(skin[2] * .5)))
        a = cv2.GaussianBlur(cv2.resize(np.array(im), (pw, ph), interpolation=cv2.INTER_AREA), (0, 0), 1.2).astype(np.float32)
        a *= 1 - rng.uniform(0, .35) * np.linspace(rng.choice((-1, 0, 1)), 1, pw)[None, :, None].clip(0, 1)
        if ghost or rng.random() < .3:
            a[:] = a.mean(2, keepdims=True)
        px, py = int(x * self.mm), int(y * self.mm)
        if ghost:
            under = np.array(self.image.crop((px, py, px + pw, py + ph))).astype(np.float32)
            a = under * .6 + a * .4
        self.image.paste(Image.fromarray(a.clip(0, 255).astype(np.uint8)), (px, py))
        if rng.random() < .25 and not ghost:
            self.draw.rectangle([px, py, px + pw, py + ph], outline=self.ink)

    def mrz(self, lines, chars, left_mm, first_baseline_mm, pitch_mm=2.54, height_mm=2.6, step_mm=4.25):
        """OCR-B at 10 characters an inch, lines 1/6 inch apart (ICAO Doc 9303-3)."""
        rng = self.rng
        ink = (15, 15, 20) if rng.random() < .8 else (60, 55, 55)
        f = font(OCRB, height_mm * self.mm * 1.38)
        for i in range(lines):
            filler = rng.randint(3, chars // 2) if rng.random() < .8 else 0
            s = ''.join(rng.choice(ALPHABET + DIGITS + '<') for _ in range(chars - filler)) + '<' * filler
            y = (first_baseline_mm + i * step_mm) * self.mm - f.size
            for k, c in enumerate(s):
                self.draw.text(((left_mm + k * pitch_mm) * self.mm, y), c, font=f, fill=ink)

    def fields(self, x0, y0, x1, y1, rows, labels=True, columns=1):
        """Labels in small print over values in larger print."""
        rng = self.rng
        step = (y1 - y0) / max(1, rows)
        size = min(step * (.5 if labels else .62), rng.uniform(2.0, 3.2))
        label_ink = self.ink if rng.random() < .5 else colour(rng, 60, 150, 50)
        bold = rng.choice(FONTS)
        for i in range(rows):
            for c in range(columns):
                if rng.random() < .08:
                    continue
                x = x0 + (x1 - x0) * c / columns
                room = (x1 - x0) / columns
                y = y0 + i * step
                if labels:
                    s = ' / '.join(word(rng).capitalize() for _ in range(rng.randint(1, 3)))
                    self.text(x, y, size * .55, s[:int(room / (size * .42))], ink=label_ink)
                    y += size * .75
                s = ' '.join(word(rng, 2, 9) if rng.random() < .7 else str(rng.randint(1, 99999)) for _ in range(rng.randint(1, 3)))
                self.text(x, y, size, s[:max(2, int(room / (size * .8)))], face=bold)

    def header(self, width, height, x=0, y=0):
        """Band, flag or emblem, and what the document is called."""
        rng = self.rng
        kind = rng.random()
        if kind < .4:
            self.box(x, y, x + width, y + height * rng.uniform(.7, 1.1), colour(rng, 30, 210, 80))
        ink = (250, 250, 250) if kind < .2 else colour(rng, 20, 110, 60)
        left = x + rng.uniform(.03, .3) * width
        if rng.random() < .55:
            fx, fw, fh = x + 2.5, height * 1.2, height * .8
            n = rng.randint(2, 4)
            for i in range(n):
                band = colour(rng, 20, 235, 100)
                if rng.random() < .5:
                    self.box(fx + fw * i / n, y + 1, fx + fw * (i + 1) / n, y + 1 + fh, band)
                else:
                    self.box(fx, y + 1 + fh * i / n, fx + fw, y + 1 + fh * (i + 1) / n, band)
            left = max(left, fx + fw + 2)
        title = ' '.join(word(rng, 3, 11) for _ in range(rng.randint(1, 3)))
        size = height * rng.uniform(.32, .6)
        self.text(left, y + 1, size, title[:int(width / size)], face=rng.choice(FONTS), ink=ink)
        if rng.random() < .6:
            self.text(left, y + 1 + size * 1.2, size * .5, ' / '.join(word(rng) for _ in range(3)), ink=ink)

    def barcode(self, x, y, w, h, stacked):
        """PDF417-like (stacked) or one-dimensional bars: the look alone."""
        rng = self.rng
        unit = max(2, int(.34 * self.mm)) if stacked else max(1, int(.25 * self.mm))
        rows = max(1, int(h * self.mm / (unit * 3))) if stacked else 1
        bits = np.random.RandomState(rng.getrandbits(32)).randint(0, 2, (rows, max(4, int(w * self.mm / unit))))
        if stacked:
            bits[:, :4] = bits[:, -4:] = 1
        img = cv2.resize((255 * (1 - bits)).astype(np.uint8), (int(w * self.mm), int(h * self.mm)), interpolation=cv2.INTER_NEAREST)
        self.box(x - 1, y - 1, x + w + 1, y + h + 1, (250, 250, 250))
        self.image.paste(Image.fromarray(img).convert('RGB'), (int(x * self.mm), int(y * self.mm)))

    def stripe(self, width):
        """Magnetic stripe along the upper edge; where it ends."""
        y = self.rng.uniform(2, 6)
        end = y + self.rng.uniform(9, 13)                 # ISO/IEC 7811: 10 mm and more, 4 mm from the edge
        self.box(0, y, width, end, colour(self.rng, 15, 60, 15))
        return end + 2

    def marks(self):
        """Chip, stamp, hologram, signature and emblem wherever they fall."""
        rng = self.rng
        W, H = self.w / self.mm, self.h / self.mm
        for _ in range(rng.randint(0, 3)):
            x, y, kind = rng.uniform(.25, .85) * W, rng.uniform(.2, .65) * H, rng.random()
            r = rng.uniform(3, 10)
            where = [(x - r) * self.mm, (y - r * .7) * self.mm, (x + r) * self.mm, (y + r * .7) * self.mm]
            if kind < .3:
                self.draw.ellipse(where, outline=colour(rng, 60, 220, 80), width=rng.randint(1, 4))
            elif kind < .5:
                self.draw.ellipse(where, fill=colour(rng, 140, 235, 60))
            elif kind < .65:
                self.draw.rounded_rectangle(where, 8, fill=(205, 175, 110), outline=(120, 100, 60))
            elif kind < .85:
                p = [(x + i * .9, y + rng.uniform(-2, 2)) for i in range(rng.randint(8, 22))]
                self.draw.line([(a * self.mm, b * self.mm) for a, b in p], fill=(30, 30, 70), width=2)
            else:
                self.text(x - 15, y, rng.uniform(4, 9), word(rng, 6, 9), ink=colour(rng, 100, 220, 70))


def travel_page(page, W, H, mrz_lines, chars, width_of_zone):
    """Data page with a machine-readable zone along its lower edge (TD2, TD3, visas)."""
    rng = page.rng
    zone = 23.2 * (H / 88 if H < 88 else 1)               # Doc 9303-4: the zone is 23.2 mm high on a TD3 page
    if rng.random() < .6:
        page.box(0, H - zone, W, H, colour(rng, 215, 252, 10))
    pw, ph = rng.uniform(27, 35) * W / 125, rng.uniform(36, 45) * H / 88
    py = rng.uniform(.13, .22) * H
    left = rng.uniform(3, 8)
    if rng.random() < .05:
        left = W - pw - left
    page.portrait(left, py, pw, min(ph, H - zone - py - 1))
    page.header(W * .6, 9, x=W * rng.uniform(0, .35), y=1)
    x0, x1 = (left + pw + 4, W - 3) if left < W / 2 else (5, left - 3)
    page.fields(x0, rng.uniform(12, 17), x1, H - zone - 2, rng.randint(4, 8), rng.random() < .85, rng.choice((1, 2, 2)))
    if rng.random() < .25:
        page.portrait(W - 20, H * .4, 13, 17, ghost=True)
    page.marks()
    margin = (W - width_of_zone) / 2 + rng.uniform(-1.5, 1.5)
    page.mrz(mrz_lines, chars, max(2, margin), H - zone + rng.uniform(9, 11) * zone / 23.2, step_mm=6.35 if H > 80 else 5.8)


def card_front(page, W, H):
    rng = page.rng
    page.header(W, rng.uniform(7, 11))
    pw, ph = rng.uniform(19, 29), rng.uniform(25, 35)
    on_right = rng.random() < .17
    px = W - pw - rng.uniform(2, 6) if on_right else rng.uniform(2, 8)
    py = min(rng.uniform(9, 17), H - ph - 2)
    page.portrait(px, py, pw, ph)
    x0, x1 = (4, px - 2) if on_right else (px + pw + 3, W - 2)
    page.fields(x0, rng.uniform(10, 14), x1, H - 3, rng.randint(4, 8), rng.random() < .7, rng.choice((1, 1, 2)))
    if rng.random() < .35:
        page.portrait(4 if on_right else W - 15, H - 20, 11, 15, ghost=True)
    page.marks()


def card_back(page, W, H):
    rng = page.rng
    if rng.random() < .5:
        page.box(0, H - 20, W, H, colour(rng, 215, 250, 10))
    top = rng.uniform(3, 6)
    if rng.random() < .2:
        top = page.stripe(W)
    page.fields(rng.uniform(4, 25), top, W - 4, H - 21, rng.randint(2, 5), rng.random() < .7, rng.choice((1, 2)))
    if rng.random() < .3:
        page.barcode(rng.uniform(3, 40), rng.uniform(2, 12), rng.uniform(25, 45), rng.uniform(5, 9), rng.random() < .5)
    if rng.random() < .15:
        page.portrait(W - 22, 5, 15, 19, ghost=rng.random() < .5)
    page.marks()
    page.mrz(3, 30, rng.uniform(3.5, 6), H - rng.uniform(12.5, 14.5))


def licence_front(page, W, H):
    rng = page.rng
    page.header(W, rng.uniform(8, 13))
    on_right = rng.random() < .15
    pw, ph = rng.uniform(22, 30), rng.uniform(28, 38)
    px = W - pw - 3 if on_right else rng.uniform(2, 5)
    page.portrait(px, min(rng.uniform(10, 16), H - ph - 1), pw, ph)
    x0, x1 = (4, px - 2) if on_right else (px + pw + 3, W - 2)
    page.fields(x0, rng.uniform(11, 15), x1, H - 2, rng.randint(6, 10), False, rng.choice((1, 1, 2)))
    if rng.random() < .6:
        page.portrait(4 if on_right else W - 18, H - 22, 13, 17, ghost=True)
    page.marks()


def licence_back(page, W, H):
    rng = page.rng
    kind = rng.random()
    if kind < .15:                                        # a stripe above, print and a small code below
        top = page.stripe(W)
        page.fields(4, top, W * .7, H - 4, rng.randint(2, 5), False)
        page.barcode(rng.uniform(3, 40), H - 14, rng.uniform(25, 40), rng.uniform(5, 10), rng.random() < .5)
    elif kind < .65:                                      # stacked code, often along the top or the bottom
        h = rng.uniform(11, 17)
        y = rng.uniform(2, 6) if rng.random() < .5 else H - h - rng.uniform(2, 6)
        page.barcode(rng.uniform(3, 12), y, rng.uniform(55, 72), h, True)
        top, end = (y + h + 3, H - 3) if y < H / 2 else (3, y - 3)
        page.fields(4, top, W - 4, end, rng.randint(3, 6), False, rng.randint(1, 3))
    else:                                                 # table of categories
        x0, rows, columns = rng.uniform(15, 35), rng.randint(8, 14), rng.randint(3, 5)
        for i in range(rows + 1):
            page.draw.line([x0 * page.mm, (4 + i * (H - 8) / rows) * page.mm, (W - 3) * page.mm, (4 + i * (H - 8) / rows) * page.mm], fill=page.ink)
            if i < rows:
                page.text(x0 + 1, 4 + i * (H - 8) / rows, (H - 8) / rows * .7, rng.choice(ALPHABET) + rng.choice(('', '1', 'E')))
                for c in range(1, columns):
                    if rng.random() < .4:
                        page.text(x0 + (W - 3 - x0) * c / columns, 4 + i * (H - 8) / rows, (H - 8) / rows * .6, '%02d.%02d.%02d' % (rng.randint(1, 28), rng.randint(1, 12), rng.randint(0, 35)))
        for c in range(columns + 1):
            x = (x0 + (W - 3 - x0) * c / columns) * page.mm
            page.draw.line([x, 4 * page.mm, x, (H - 4) * page.mm], fill=page.ink)
        page.fields(3, 5, x0 - 1, H - 5, rng.randint(4, 9), False)
    page.marks()


def plain_card(page, W, H):
    """Insurance and like cards: a name, a long number, no portrait."""
    rng = page.rng
    page.header(W, rng.uniform(10, 16))
    page.text(rng.uniform(5, 15), rng.uniform(17, 24), rng.uniform(4, 6), ' '.join(str(rng.randint(10 ** 3, 10 ** 4)) for _ in range(3)))
    page.fields(rng.uniform(5, 12), 28, W - 10, H - 8, rng.randint(2, 4), False)
    page.text(W * rng.uniform(.4, .6), H - 7, 2.6, '%s %02d/%04d' % (word(rng, 4, 7), rng.randint(1, 12), rng.randint(2020, 2040)))
    page.marks()


def booklet(rng, page_image, page):
    """The data page with the facing page above (rarely below), the cover's rim and the fold's shade."""
    h, w = page_image.shape[:2]
    other = Page(rng, 125, 88)
    if rng.random() < .5:
        other.fields(12, 10, 110, 75, rng.randint(3, 9), rng.random() < .5)
    else:
        for i in range(rng.randint(0, 3)):
            other.marks()
    facing = np.array(other.image)[:h]
    above = rng.random() < .9
    rim = rng.randint(0, 14)
    shade = np.linspace(0, 1, 60)[:, None, None] ** rng.uniform(.3, 1)
    depth = rng.uniform(.1, .5)
    for img, at_end in ((facing, above), (page_image, not above)):
        band = img[-60:] if at_end else img[:60]
        band[:] = (band * (1 - depth * (shade if at_end else shade[::-1]))).astype(np.uint8)
    cover = colour(rng, 15, 110, 45)
    sheet = np.empty((2 * h + 2 * rim, w + 2 * rim, 4), np.uint8)
    sheet[:] = (*cover, 255)
    top = rim + h if above else rim
    sheet[top:top + h, rim:rim + w, :3] = page_image
    other_top = rim if above else rim + h
    sheet[other_top:other_top + h, rim:rim + w, :3] = facing
    H, W = sheet.shape[:2]
    return sheet, (rim / W, top / H, (rim + w) / W, (top + h) / H)


def make_document(seed):
    """The document with this number: always the same."""
    rng = random.Random(seed)
    kind, _, W, H = rng.choices(KINDS, weights=[k[1] for k in KINDS])[0]
    page = Page(rng, W, H)
    if kind == 'card-front':
        card_front(page, W, H)
    elif kind == 'card-back':
        card_back(page, W, H)
    elif kind == 'licence-front':
        licence_front(page, W, H)
    elif kind == 'licence-back':
        licence_back(page, W, H)
    elif kind == 'plain-card':
        plain_card(page, W, H)
    elif kind == 'td2':
        travel_page(page, W, H, 2, 36, 36 * 2.54)
    else:
        travel_page(page, W, H, 2, 44, 44 * 2.54)
    img = np.array(page.image)
    if rng.random() < .18:                                # printed or drawn border along the edge
        cv2.rectangle(img, (1, 1), (img.shape[1] - 2, img.shape[0] - 2), colour(rng, 10, 160, 40), rng.randint(1, 5))
    front = kind not in ('card-back', 'licence-back')
    if kind == 'booklet':
        sheet, rect = booklet(rng, img, page)
        return FlatDocument(sheet, rect, (W, H), front, kind)
    alpha = np.zeros(img.shape[:2], np.uint8)
    radius = CORNER_MM * page.mm if W < 90 else rng.choice((0, 0, 3)) * page.mm
    if rng.random() < .08:
        radius = 0                                        # a print, cut out square
    mask = Image.fromarray(alpha)
    ImageDraw.Draw(mask).rounded_rectangle([0, 0, img.shape[1] - 1, img.shape[0] - 1], radius, fill=255)
    return FlatDocument(np.dstack([img, np.array(mask)]), (0, 0, 1, 1), (W, H), front, kind)
