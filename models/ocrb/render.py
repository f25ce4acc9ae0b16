#!/usr/bin/python3
"""Synthetic renderer for machine-readable-zone (MRZ) text lines in OCR-B.

One call of Renderer.line() gives one grey line crop of 32 pixels height,
already normalised as the recogniser expects it, and the text it shows.  Nothing
here reads a photograph: all training material is drawn.

The steps of one sample, in the order of a real capture:

 1. text      a field-correct MRZ line (TD1, TD2, TD3, visa), or deliberately
              lawless text, so that the recogniser learns shapes, not a language
 2. printing  cached glyph bitmaps are pasted on an ink canvas: pitch, jitter,
              ink gain, wear, neighbouring lines, clutter beside the line
 3. geometry  one remap does scale, stretch, tilt, perspective, page bend and
              the camera's resolution (down to 9 px character pitch)
 4. surface   background level, security print, card and page edges with the
              table beyond them, shadow, overprint, hologram streaks, glare
 5. camera    defocus, motion blur, noise, sharpening, JPEG, tone curve
 6. crop      resampling to 32 rows and the percentile normalisation

Speed decides here (training runs on CPU cores): glyphs and background
textures are made once per process, everything else works on the small crop.
Run this file to see a contact sheet and the time per sample.
"""
import argparse
import random
import time

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

# --- the contract shared with training, evaluation and the product -----------
ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'  # class i+1; class 0 is the CTC blank
HEIGHT = 32            # rows of a line crop
STRIDE = 4             # input columns per output step
CAP_NOMINAL = 21.0     # cap height in a crop as the product cuts it
CAP_RANGE = (17.0, 27.0)   # cap heights trained: the cutter's error

# --- fonts (Debian: fonts-ocr-b fonts-dejavu-core fonts-liberation fonts-freefont-ttf)
OCRB_DIR = '/usr/share/fonts/opentype/ocr-b/'
DEJAVU_DIR = '/usr/share/fonts/truetype/dejavu/'
LIBERATION_DIR = '/usr/share/fonts/truetype/liberation/'
FREE_DIR = '/usr/share/fonts/truetype/freefont/'
# weight: share of samples. Foreign monospaced faces stand for the slightly
# wrong fonts of specimens and of cheap personalisation printers.
FONTS = (
    (OCRB_DIR + 'OCRB.otf', 0.62),
    (OCRB_DIR + 'OCRBS.otf', 0.22),
    (OCRB_DIR + 'OCRBL.otf', 0.04),   # slanted
    (DEJAVU_DIR + 'DejaVuSansMono.ttf', 0.02),
    (DEJAVU_DIR + 'DejaVuSansMono-Bold.ttf', 0.01),
    (LIBERATION_DIR + 'LiberationMono-Regular.ttf', 0.02),
    (LIBERATION_DIR + 'LiberationMono-Bold.ttf', 0.01),
    (FREE_DIR + 'FreeMono.ttf', 0.035),       # the typewriter shapes (Courier)
    (FREE_DIR + 'FreeMonoBold.ttf', 0.025),
)
FONT_PX = 44           # atlas size: cap height about 32 px, above any crop's
CELL_W, CELL_H = 56, 64

# Pairs the recogniser must tell apart by shape alone (check digits are blind to
# most of them, see ICAO Doc 9303-3 7-3-1 weights modulo 10).
CONFUSABLE = ('0OQD', '1ILT', '2Z7', '5S3', '8B6', '6GC', '<KX', 'VYU', 'MNWH', 'CEF', '4A', '9PR')

DIGITS = '0123456789'
LETTERS = ALPHABET[10:36]
COUNTRIES = ('UTO D<< GBR FRA ESP ITA USA CAN AUS NLD BEL CHE AUT POL ROU HRV SRB UKR RUS CHN JPN KOR '
             'IND PAK BGD NGA KEN ZAF EGY MAR TUN DZA BRA ARG CHL COL MEX PER SWE NOR DNK FIN ISL EST '
             'LVA LTU CZE SVK HUN SVN BGR GRC TUR PRT IRL MLT LUX LIE MCO AFG IRN IRQ SYR VNM THA PHL '
             'IDN MYS SGP NZL RKS XXA XXB XXX EUE UNO').split()


def check_digit(text):
    """ICAO Doc 9303-3 check digit: weights 7-3-1, '<' = 0, A = 10 ... Z = 35."""
    total = 0
    for i, c in enumerate(text):
        total += (0 if c == '<' else ALPHABET.index(c)) * (7, 3, 1)[i % 3]
    return str(total % 10)


class TextSource:
    """Draws line texts; `rng` is a random.Random."""

    def __init__(self, rng, lawful=0.5, pairs=0):
        self.rng = rng
        self.lawful = lawful   # share of field-correct lines
        self.pairs = pairs     # share of lines in which O and 0 take each other's places

    def _chars(self, alphabet, n):
        return ''.join(self.rng.choices(alphabet, k=n))

    def word(self, lo=2, hi=11):
        rng = self.rng
        vowels, consonants = 'AEIOUY', 'BCDFGHJKLMNPQRSTVWXZ'
        start = rng.randint(0, 1)
        return ''.join(rng.choice(LETTERS) if rng.random() < .15 else
                       rng.choice(consonants if (i + start) % 2 else vowels)
                       for i in range(rng.randint(lo, hi)))

    def name(self, n):
        rng = self.rng
        s = '<'.join(self.word() for _ in range(rng.choice((1, 1, 1, 2))))
        s += '<<' + '<'.join(self.word() for _ in range(rng.choice((1, 1, 2, 3))))
        if rng.random() < .08:
            s += '<' + self.word(9, 30)
        return s[:n].ljust(n, '<')

    def date(self):
        rng = self.rng
        if rng.random() < .04:
            return rng.choice(('<<<<<<', self._chars(DIGITS, 2) + '<<<<'))
        return '%02d%02d%02d' % (rng.randint(0, 99), rng.randint(1, 12), rng.randint(1, 31))

    def number(self, n=9):
        rng = self.rng
        kind = rng.random()
        size = rng.randint(6, n)
        if kind < .4:
            s = self._chars(LETTERS, rng.randint(1, 2)) + self._chars(DIGITS, n)
        elif kind < .6:
            s = self._chars(DIGITS, n)
        else:
            s = self._chars(DIGITS + LETTERS, n)
        return s[:size].ljust(n, '<')

    def optional(self, n):
        rng = self.rng
        kind = rng.random()
        if kind < .45:
            return '<' * n
        alphabet = DIGITS if kind < .7 else DIGITS + LETTERS
        s = self._chars(alphabet, rng.randint(1, n))
        if kind > .85 and len(s) > 3:
            i = rng.randint(1, len(s) - 2)
            s = s[:i] + '<' + s[i + 1:]
        return s.ljust(n, '<')

    def document(self):
        """All lines of one field-correct MRZ."""
        rng = self.rng
        c = check_digit
        issuer = rng.choice(COUNTRIES).ljust(3, '<')
        nation = issuer if rng.random() < .7 else rng.choice(COUNTRIES).ljust(3, '<')
        sex = rng.choice('MF<') if rng.random() < .97 else 'X'
        no, dob, exp = self.number(), self.date(), self.date()
        core = no + c(no) + nation + dob + c(dob) + sex + exp + c(exp)
        kind = rng.random()
        if kind < .4:
            opt = self.optional(14)
            d = '<' if opt == '<' * 14 and rng.random() < .5 else c(opt)
            comp = c(no + c(no) + dob + c(dob) + exp + c(exp) + opt + d)
            code = 'P' + rng.choice('<<<<<POSDEARBCTM')
            return [code + issuer + self.name(39), core + opt + d + comp]
        if kind < .55:
            opt = self.optional(7)
            comp = c(no + c(no) + dob + c(dob) + exp + c(exp) + opt)
            return [rng.choice('IAC') + rng.choice('<<<DRP') + issuer + self.name(31), core + opt + comp]
        if kind < .7:
            n = rng.choice((44, 36))
            return ['V' + rng.choice('<<CNSB') + issuer + self.name(n - 5), core + self.optional(n - 28)]
        o1, o2 = self.optional(15), self.optional(11)
        l2 = dob + c(dob) + sex + exp + c(exp) + nation + o2
        comp = c(no + c(no) + o1 + dob + c(dob) + exp + c(exp) + o2)
        code = rng.choice('IAC') + rng.choice('<<<DRP1N')
        return [code + issuer + no + c(no) + o1, l2 + comp, self.name(30)]

    def line(self, n):
        """One text of n characters."""
        s = self.plain_line(n)
        if self.pairs and self.rng.random() < self.pairs:
            k = self.rng.uniform(.1, .5)
            s = ''.join(self.rng.choice('O0') if c in 'O0' or (c != '<' and self.rng.random() < k) else c for c in s)
        return s

    def plain_line(self, n):
        rng = self.rng
        r = rng.random()
        if r < self.lawful:
            lines = self.document()
            whole = [s for s in lines if len(s) == n]
            if whole:
                return rng.choice(whole)
            s = rng.choice(lines)
            if len(s) > n:
                for _ in range(3):      # a piece; seldom one of fillers alone
                    i = rng.choice((0, len(s) - n, rng.randint(0, len(s) - n)))
                    if s[i:i + n].count('<') < n * .7:
                        break
                return s[i:i + n]
            return s + self._chars(ALPHABET, n - len(s))
        r = rng.random()
        if r < .40:
            return self._chars(ALPHABET, n)
        if r < .55:
            s = ''
            while len(s) < n:
                s += self._chars(rng.choice(CONFUSABLE), rng.randint(1, 5))
            return s[:n]
        s = ''
        while len(s) < n:
            r = rng.random()
            if r < .35:
                s += self._chars(DIGITS, rng.randint(1, 9))
            elif r < .6:
                s += self.word()
            elif r < .75:
                s += self._chars(LETTERS, rng.randint(1, 3))
            else:
                s += '<' * rng.randint(1, 12)
        return s[:n]


class Atlas:
    """Glyph bitmaps of one font variant: ink coverage 0..1 in CELL_H x CELL_W cells."""

    def __init__(self, path, gain, width, digit_height):
        font = ImageFont.truetype(path, FONT_PX)
        self.advance = font.getlength('H') * width
        left, top, right, bottom = font.getbbox('H')
        # The baseline and cap line as drawn into a cell.
        y0 = (CELL_H - (bottom - top)) // 2 - top
        self.cap = float(bottom - top)
        self.mid = y0 + (top + bottom) / 2
        base = y0 + bottom
        self.cells = {}
        for c in ALPHABET:
            im = Image.new('L', (CELL_W, CELL_H), 0)
            ImageDraw.Draw(im).text(((CELL_W - font.getlength(c)) / 2, y0), c, font=font, fill=255)
            a = np.asarray(im, np.float32) / 255
            sy = digit_height if c in DIGITS else 1.0
            m = np.float32([[width, 0, CELL_W / 2 * (1 - width)], [0, sy, base * (1 - sy)]])
            a = cv2.warpAffine(a, m, (CELL_W, CELL_H), flags=cv2.INTER_LINEAR)
            if gain > 0:
                k = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * gain + 1,) * 2) if gain > 1 else \
                    np.ones((2, 2), np.uint8) if gain == 1 else None
                a = cv2.dilate(a, k)
            elif gain < 0:
                a = cv2.erode(a, np.ones((2, 2) if gain == -1 else (3, 2), np.uint8))
            self.cells[c] = (a * 255).astype(np.uint8)


class Renderer:
    """Seeded source of line samples.

    style 'a' and 'b' draw from the same effects in different proportions, so
    that two recognisers trained on them do not share every habit.
    """

    STYLES = {
        'a': dict(lawful=.50, edge=.40, table=.45, texture=.55, overprint=.30, lowres=.45,
                  jpeg=.50, blur=.55, glare=.18, shadow=.25, variants=60),
        'b': dict(lawful=.40, edge=.50, table=.40, texture=.65, overprint=.40, lowres=.55,
                  jpeg=.45, blur=.50, glare=.25, shadow=.35, variants=72),
        # b once more with what it still mixes up: hard edges at the ends of the band, O beside 0
        'b2': dict(lawful=.40, edge=.65, table=.50, texture=.65, overprint=.40, lowres=.55,
                   jpeg=.45, blur=.50, glare=.25, shadow=.35, variants=72, pairs=.15),
    }

    def __init__(self, seed, style='a'):
        self.rng = random.Random(seed)
        self.np = np.random.default_rng(seed)
        self.p = self.STYLES[style]
        self.text = TextSource(self.rng, self.p['lawful'], self.p.get('pairs', 0))
        self.atlases = []
        while len(self.atlases) < self.p['variants']:
            self.atlases.append(self._atlas())
        self.textures = [self._texture() for _ in range(40)]
        # standard normal noise, drawn once; samples take random windows of it
        self.noise = self.np.standard_normal((256, 2048)).astype(np.float32)

    # -- made once --------------------------------------------------------------
    def _atlas(self):
        rng = self.rng
        path = rng.choices([f for f, _ in FONTS], [w for _, w in FONTS])[0]
        # every face occurs at least once whatever the seed
        if len(self.atlases) < len(FONTS):
            path = FONTS[len(self.atlases)][0]
        gain = rng.choices((-2, -1, 0, 1, 2, 3), (.04, .14, .40, .22, .15, .05))[0]
        width = rng.choice((1, 1, rng.uniform(.9, 1.08)))
        digit_height = rng.choice((1, 1, rng.uniform(.92, 1.0)))
        return Atlas(path, gain, width, digit_height)

    def _texture(self, h=96, w=1600):
        """Security print or paper, zero mean, roughly unit amplitude."""
        rng = self.rng
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        t = np.zeros((h, w), np.float32)
        kind = rng.random()
        if kind < .5:      # guilloche: bent wave trains
            for _ in range(rng.randint(1, 4)):
                k, th = rng.uniform(.15, 1.8), rng.uniform(0, np.pi)
                bend = rng.uniform(1, 9) * np.sin(xx * rng.uniform(.01, .09) + yy * rng.uniform(0, .08) + rng.uniform(0, 6))
                wave = np.sin(k * (xx * np.cos(th) + yy * np.sin(th) + bend) + rng.uniform(0, 6))
                if rng.random() < .5:       # thin printed lines rather than sine
                    wave = (wave > rng.uniform(.5, .9)).astype(np.float32) * 2
                t += wave
        elif kind < .65:   # fine grid or screen
            k = rng.uniform(.5, 2.4)
            t = np.sin(k * xx) * np.sin(k * rng.uniform(.7, 1.4) * yy)
        elif kind < .8:    # paper fibre / plastic grain at several scales
            for s in (2, 6, 20):
                g = self.np.standard_normal((h // s + 2, w // s + 2)).astype(np.float32)
                t += cv2.resize(g, (w, h), interpolation=cv2.INTER_CUBIC) * rng.uniform(.2, 1)
        elif kind < .9:    # microprint / foreign small text
            im = Image.new('L', (w, h), 0)
            d = ImageDraw.Draw(im)
            f = ImageFont.truetype(DEJAVU_DIR + 'DejaVuSans.ttf', rng.randint(7, 13))
            for y in range(0, h, rng.randint(11, 20)):
                d.text((-rng.randint(0, 30), y), ' '.join(self.text.word(2, 9).title() for _ in range(250)), font=f, fill=255)
            t = np.asarray(im, np.float32) / 255
        else:              # blotches with hard rims (coat of arms, photo corner)
            g = self.np.standard_normal((h // 10 + 2, w // 18 + 2)).astype(np.float32)
            t = (cv2.resize(g, (w, h), interpolation=cv2.INTER_CUBIC) > rng.uniform(.1, 1)).astype(np.float32) * 2
        t -= t.mean()
        t /= max(1e-3, t.std())
        t = t.astype(np.float32)
        return t if kind < .5 else cv2.GaussianBlur(t, (0, 0), rng.uniform(.4, .9))

    def _window(self, big, h, w):
        """A random h x w window of a larger array, tiled in x when too narrow."""
        y = self.rng.randint(0, max(0, big.shape[0] - h))
        if w >= big.shape[1]:
            big = np.tile(big, (1, w // big.shape[1] + 1))
        x = self.rng.randint(0, big.shape[1] - w)
        return big[y:y + h, x:x + w]

    # -- per sample ---------------------------------------------------------------
    def _print(self, s, margin_l, margin_r):
        """Ink canvas of the line with its neighbours.

        Returns canvas (uint8), x of the text's left end, y of its middle, pitch, cap.
        """
        rng = self.rng
        at = rng.choice(self.atlases)
        pitch = at.advance * (1 if rng.random() < .55 else rng.uniform(.93, 1.16))
        jitter = rng.choice((0, 0, 0, .015, .03)) * FONT_PX
        w = int(margin_l + margin_r + pitch * max(1, len(s)) + CELL_W)
        gap = at.cap * (rng.uniform(2.0, 2.7) if rng.random() < .7 else rng.uniform(1.3, 2.0))
        h = int(at.cap * 4)
        mid = h / 2
        ink = np.zeros((h, w), np.uint8)
        lines = [(s, 0.0, 0.0)]
        for direction in (-1, 1):
            if gap < at.cap * 2.3 and rng.random() < .6:
                lines.append((self.text.line(max(1, len(s))), gap * direction, rng.uniform(-4, 4)))
        for text, dy, dx in lines:
            for i, c in enumerate(text):
                x = int(margin_l + dx + pitch * (i + .5) - CELL_W / 2 + (rng.uniform(-jitter, jitter) if jitter else 0))
                y = int(mid + dy - at.mid + (rng.uniform(-jitter, jitter) if jitter else 0))
                x0, y0, y1 = max(0, x), max(0, y), min(h, y + CELL_H)
                x1 = min(w, x + CELL_W)
                if y1 <= y0 or x1 <= x0:
                    continue
                cell = at.cells[c][y0 - y:y1 - y, x0 - x:x1 - x]
                view = ink[y0:y1, x0:x1]
                np.maximum(view, cell, out=view)
        if rng.random() < .10:      # worn print: speckled or missing ink
            h4, w4 = h // 3 + 1, w // 3 + 1
            worn = (self._window(self.noise, h4, w4) > rng.uniform(1.0, 2.2)).astype(np.uint8) * 255
            ink = np.where(cv2.resize(worn, (w, h)) > 0, ink // rng.choice((2, 3, 8)), ink)
        return ink, margin_l, mid, pitch, at.cap

    def line(self, n=None, raw=False):
        """One sample: (float32 [HEIGHT, w] normalised crop, text).

        n: number of characters (0 = a crop without text); raw: return the grey
        crop 0..255 before normalisation instead.
        """
        rng, p = self.rng, self.p
        if n == 0 and rng.random() < .5:
            o = self._sideways()
            return (o if raw else normalise(o)), ''
        if n is None:
            n = rng.choice((30, 36, 44)) if rng.random() < .3 else rng.randint(5, 14)
        s = self.text.line(n) if n else ''
        margin = 3.2 * FONT_PX * .72
        ink, tx, ty, pitch, cap = self._print(s, margin, margin)

        # -- geometry: from output pixel to canvas
        cap_out = rng.uniform(*CAP_RANGE) if rng.random() < .4 else min(27, max(17, rng.gauss(CAP_NOMINAL, 1.6)))
        sy = cap_out / cap                              # canvas -> crop scale, vertical
        stretch = rng.uniform(.85, 1.15) if rng.random() < .5 else rng.gauss(1, .03)
        sx = sy * min(1.2, max(.82, stretch))
        text_w = pitch * max(n, 1) * sx
        step = pitch * sx
        # free room beside the text in the crop
        left = rng.uniform(.1, 2.6 if rng.random() < .85 else 6) * step
        right = rng.uniform(.1, 2.6 if rng.random() < .85 else 6) * step
        if n == 0:
            text_w = rng.uniform(20, 260)
        w_out = int(text_w + left + right)
        # camera pixels per crop pixel: 1 = sharper than the crop, below = fewer pixels
        if rng.random() < p['lowres']:
            pitch_cam = rng.uniform(8, 14)
        else:
            pitch_cam = rng.uniform(13, 30)
        r = min(1.0, max(.34, pitch_cam / step))
        wc, hc = max(8, int(round(w_out * r))), max(10, int(round(HEIGHT * r)))
        u = ((np.arange(wc, dtype=np.float32) + .5) * (w_out / wc) - .5)[None, :]
        v = ((np.arange(hc, dtype=np.float32) + .5) * (HEIGHT / hc) - .5)[:, None]
        cx, cy = left + text_w / 2, HEIGHT / 2 + rng.gauss(0, 1.2)
        t = (u - cx) / max(text_w, 1)                     # -0.5..0.5 along the text
        # tilt and bend as end-to-end height in crop pixels: what a line cutter leaves over
        drift = rng.gauss(0, 1.2) + (0 if n > 20 else rng.gauss(0, .012) * text_w)
        bend = rng.gauss(0, 1.2) if rng.random() < .4 else 0
        wave = rng.gauss(0, .7) if rng.random() < .2 else 0
        ripple, phase = rng.uniform(3, 9), rng.uniform(0, 6)
        ybase = cy + drift * t + bend * (4 * t * t - .5) + wave * np.sin(ripple * t + phase)
        persp = rng.gauss(0, .05) if rng.random() < .6 else 0
        shear = rng.gauss(0, .06)
        zoom = 1 + persp * t
        xs = t * text_w * (1 - .5 * persp * t) + rng.gauss(0, .012) * text_w * np.sin(6.28 * t) * (rng.random() < .25)
        dy = (v - ybase) / zoom
        map_x = (tx + pitch * n / 2 + (xs + shear * dy) / sx).astype(np.float32)
        map_y = (ty + dy / sy).astype(np.float32)
        down = 1 / (sy * r)                              # canvas pixels per camera pixel
        if down > 1.3:
            ink = cv2.GaussianBlur(ink, (0, 0), .38 * down)
        a = cv2.remap(ink, map_x, map_y, cv2.INTER_LINEAR, borderValue=0).astype(np.float32) * (1 / 255)

        # -- surface
        tone = rng.random()
        if tone < .7:
            bg = rng.uniform(.5, 1)
            fg = bg * rng.uniform(0, .45)
        else:                                            # dark or weakly printed
            bg = rng.uniform(.25, 1)
            fg = bg * rng.uniform(.2, .75)
        surface = np.full((hc, wc), bg, np.float32)
        contrast = bg - fg
        if rng.random() < .6:                            # uneven light and pastel print, low frequency
            g = self._window(self.noise, rng.randint(2, 4), rng.randint(2, 4 + n // 3))
            surface += cv2.resize(g, (wc, hc), interpolation=cv2.INTER_CUBIC) * rng.uniform(.02, .16)
        if rng.random() < p['texture']:
            tex = self._window(rng.choice(self.textures), hc, wc)
            if rng.random() < .35:                       # another magnification
                tex = cv2.resize(self._window(tex, max(3, hc // 2), max(3, wc // 2)), (wc, hc))
            amp = contrast * rng.uniform(.02, .22)
            surface += tex * amp
        opacity = 1 if rng.random() < .7 else rng.uniform(.75, 1)
        if rng.random() < .15:                           # ink density changes along the line
            g = self._window(self.noise, 2, rng.randint(3, 5 + n // 2))
            opacity = np.clip(1 - .2 * np.abs(cv2.resize(g, (wc, hc), interpolation=cv2.INTER_LINEAR)), .35, 1)
        o = surface + (fg - surface) * (a * opacity)
        if rng.random() < .03:                           # embossed or laser-raised: light and dark flank
            o = surface - contrast * .6 * (a - np.roll(a, (1, 1), (0, 1))) - contrast * rng.uniform(.1, .5) * a

        if rng.random() < p['overprint']:
            self._overprint(o, contrast, r)
        flat = True                                      # no strong light differences so far
        if rng.random() < p['shadow']:
            flat = False
            self._shadow(o, u, v, w_out)
        if rng.random() < p['edge'] or n == 0:
            o = self._edges(o, u, v, left, text_w, step, cap_out, cy, w_out, bg, fg)
        if rng.random() < p['glare']:
            flat = False
            for _ in range(rng.randint(1, 2)):
                gx, gy = rng.uniform(0, w_out), rng.uniform(-10, HEIGHT + 10)
                o += rng.uniform(.1, .55) * np.exp(-((u - gx) / rng.uniform(8, 60)) ** 2 - ((v - gy) / rng.uniform(6, 40)) ** 2)

        # -- camera
        if rng.random() < p['blur']:
            kind = rng.random()
            if kind < .65:
                o = cv2.GaussianBlur(o, (0, 0), rng.uniform(.3, 1.35) * max(.55, r) * (1 if r < .6 else 1.15))
            elif kind < .8:                              # defocus disc
                k = rng.choice((3, 3, 5)) if r > .6 else 3
                ker = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k, k)).astype(np.float32)
                o = cv2.filter2D(o, -1, ker / ker.sum(), borderType=cv2.BORDER_REPLICATE)
            else:                                        # hand movement
                k = rng.choice((3, 5, 5, 7) if r > .7 else (3, 3, 5))
                ker = np.zeros((k, k), np.float32)
                th = rng.choice((0, 0, rng.uniform(0, np.pi)))
                c = (k - 1) / 2
                cv2.line(ker, (int(round(c - c * np.cos(th))), int(round(c - c * np.sin(th)))),
                         (int(round(c + c * np.cos(th))), int(round(c + c * np.sin(th)))), 1.0, 1)
                o = cv2.filter2D(o, -1, ker / ker.sum(), borderType=cv2.BORDER_REPLICATE)
        if rng.random() < .55:
            o = o + self._window(self.noise, hc, wc) * (rng.uniform(.005, .045) * max(.3, contrast))
        if rng.random() < .15:                           # sharpening halo of a telephone or scanner
            o = o + (o - cv2.GaussianBlur(o, (0, 0), rng.uniform(.8, 1.6))) * rng.uniform(.4, 1.8)
        kind = rng.random()
        if kind < .12:                                   # tone curve
            o = np.clip(o, 0, 1) ** rng.uniform(.5, 2)
        elif kind < .19 and flat:                        # photocopy or thresholding scanner
            o = 1 / (1 + np.exp(np.clip((fg + contrast * rng.uniform(.4, .65) - o) * rng.uniform(8, 40) / max(.2, contrast), -30, 30)))
        o = np.clip(o * 255, 0, 255).astype(np.uint8)
        if rng.random() < p['jpeg']:
            q = rng.randint(25, 92)
            o = cv2.imdecode(cv2.imencode('.jpg', o, [cv2.IMWRITE_JPEG_QUALITY, q])[1], cv2.IMREAD_GRAYSCALE)

        # -- crop
        if (hc, wc) != (HEIGHT, w_out):
            if rng.random() < .3:                        # the band is resampled before the line is
                k = rng.uniform(1.0, 2.2)
                o = cv2.resize(o, (int(wc * k), int(hc * k)), interpolation=rng.choice((cv2.INTER_CUBIC, cv2.INTER_LINEAR)))
            up = o.shape[0] < HEIGHT
            o = cv2.resize(o, (w_out, HEIGHT), interpolation=rng.choice((cv2.INTER_CUBIC, cv2.INTER_LINEAR)) if up else cv2.INTER_AREA)
        return (o if raw else normalise(o)), s

    def _sideways(self):
        """Grey crop of text standing on its side, as a turned page gives it: to be read as nothing."""
        rng = self.rng
        source, _ = self.line(rng.choice((14, 30)), raw=True)
        last = source.shape[1] - HEIGHT
        step = rng.randint(0, 30)                        # the same column of characters, or wandering
        x = rng.randint(0, last)
        tiles = []
        for _ in range(rng.randint(3, 14)):
            tiles.append(np.rot90(source[:, x:x + HEIGHT], 1 if rng.random() < .5 else 3))
            x = (x + step) % (last + 1)
        return np.ascontiguousarray(np.hstack(tiles))

    def _overprint(self, o, contrast, r):
        """Strokes, stamps, holder's signature, hologram streaks over the line (in place)."""
        rng = self.rng
        hc, wc = o.shape
        for _ in range(rng.randint(1, 3)):
            kind = rng.random()
            level = float(np.clip(o.mean() + rng.choice((-1, 1)) * contrast * rng.uniform(.1, .6), 0, 1))
            if kind < .4:                                # straight stroke or scratch
                p0 = (rng.randint(0, wc), rng.randint(0, hc))
                p1 = (rng.randint(0, wc), rng.randint(0, hc)) if rng.random() < .5 else (p0[0] + rng.randint(-hc, hc), hc - p0[1])
                layer = o.copy()
                cv2.line(layer, p0, p1, level, 1 if r < .7 else rng.randint(1, 2), cv2.LINE_AA)
                o += (layer - o) * rng.uniform(.3, .8)
            elif kind < .65:                             # arc of a stamp or seal
                layer = o.copy()
                rad = rng.randint(hc // 2, hc * 3)
                cv2.ellipse(layer, (rng.randint(0, wc), rng.randint(-hc, 2 * hc)), (rad, int(rad * rng.uniform(.5, 1.2))), 0,
                            0, 360, level, 1 if r < .7 else rng.randint(1, 3), cv2.LINE_AA)
                o += (layer - o) * rng.uniform(.3, .8)
            else:                                        # hologram: slanted soft bands
                slope, pos, width = rng.uniform(-2, 2), rng.uniform(0, wc), rng.uniform(2, hc * 1.5)
                x = np.arange(wc, dtype=np.float32)[None] + slope * np.arange(hc, dtype=np.float32)[:, None]
                o += rng.choice((-1, 1, 1)) * rng.uniform(.05, .3) * np.exp(-((x - pos) / width) ** 2)

    def _shadow(self, o, u, v, w_out):
        """One straight shadow border across the crop (in place)."""
        rng = self.rng
        pos, slope, soft = rng.uniform(0, w_out), rng.uniform(-3, 3), rng.choice((1, 3, 10, 40))
        m = 1 / (1 + np.exp(np.clip(-(u - pos + slope * (v - 16)) / soft, -30, 30)))
        o *= 1 - rng.uniform(.1, .6) * (m if rng.random() < .5 else 1 - m)

    def _edges(self, o, u, v, left, text_w, step, cap, cy, w_out, bg, fg):
        """Card or page borders beside, above and below the line, with what lies beyond."""
        rng, p = self.rng, self.p
        hc, wc = o.shape
        sides = [side for side, q in (('l', .6), ('r', .6), ('t', .22), ('b', .3)) if rng.random() < q] or [rng.choice('lr')]
        kind = rng.random()
        for side in sides:
            # distance d > 0 lies beyond the edge
            tilt = rng.gauss(0, .05)
            if side == 'l':
                gap = rng.uniform(.08, 1) * left
                d = (left - gap) - u + tilt * (v - 16)
            elif side == 'r':
                gap = rng.uniform(.08, 1) * (w_out - left - text_w)
                d = u - (left + text_w + gap) + tilt * (v - 16)
            else:
                room = (HEIGHT - cap) / 2
                gap = cap / 2 + rng.uniform(.25, 1.2) * room
                slope = rng.gauss(0, 1.0) * (u - w_out / 2) / max(w_out, 1)
                d = (cy - gap - v + slope) if side == 't' else (v - cy - gap + slope)
            soft = rng.uniform(.3, 1.6)
            m = np.clip(d / soft + .5, 0, 1)
            if kind < p['table']:                        # dark table
                beyond = rng.uniform(0, .35) * bg
            elif kind < .75:                             # light ground, other page, white lid of a scanner
                beyond = min(1.0, bg * rng.uniform(.75, 1.5))
            else:
                beyond = rng.uniform(0, 1)
            if rng.random() < .12:                       # only a printed frame line, same ground
                beyond = None
            if beyond is not None:
                ground = beyond
                if rng.random() < .5:
                    ground = beyond + self._window(rng.choice(self.textures), hc, wc) * rng.uniform(.01, .12)
                o = o + (ground - o) * m
            if rng.random() < .6 or beyond is None:      # rim: lit or shaded border, frame line
                level = rng.choice((fg, 0, 1, bg * rng.uniform(.5, 1.3)))
                k = np.exp(-((d - rng.uniform(-1, 1)) / rng.uniform(.5, 2.2)) ** 2) * rng.uniform(.3, 1)
                o = o + (level - o) * k
            if side in 'lr' and rng.random() < .3:       # hooks, notches and blots near the end that are no letters
                layer = o.copy()
                edge = (left - gap) if side == 'l' else (left + text_w + gap)
                for _ in range(rng.randint(1, 3)):
                    x = edge + (-1 if side == 'l' else 1) * rng.uniform(0, 1.6) * step
                    c = (int(x * wc / w_out), int(rng.uniform(0, HEIGHT) * hc / HEIGHT))
                    a0 = rng.uniform(0, 360)
                    level = float(rng.choice((fg, 0, 1, rng.random())))
                    if rng.random() < .5:
                        size = max(1, int(rng.uniform(4, 30) * hc / HEIGHT))
                        cv2.ellipse(layer, c, (size, max(1, int(size * rng.uniform(.4, 1.6)))), 0, a0, a0 + rng.uniform(40, 160), level, 1, cv2.LINE_AA)
                    else:
                        q = (c[0] + int(rng.gauss(0, 6) * hc / HEIGHT), c[1] + int(rng.gauss(0, 14) * hc / HEIGHT))
                        cv2.line(layer, c, q, level, rng.randint(1, 2), cv2.LINE_AA)
                keep = np.clip(d / 2 + 1, 0, 1)   # only beyond the edge
                o = o + (layer - o) * keep
        return o.astype(np.float32)


def normalise(grey):
    """The percentile normalisation of the input contract: grey 0..255 -> about -1..1."""
    g = np.asarray(grey, np.float32)
    lo, hi = np.percentile(g, (2, 98))
    return np.clip((g - lo) / max(hi - lo, 12.0) * 2 - 1, -1.5, 1.5).astype(np.float32)


def main():
    ap = argparse.ArgumentParser(description='Contact sheet of synthetic MRZ lines, and the time one sample takes.')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--style', choices=sorted(Renderer.STYLES), default='a')
    ap.add_argument('--count', type=int, default=40, help='lines on the sheet')
    ap.add_argument('--chars', type=int, default=None, help='characters per line (default: mixed)')
    ap.add_argument('--out', default='/tmp/ocrb-sheet.png')
    a = ap.parse_args()
    cv2.setNumThreads(1)
    r = Renderer(a.seed, a.style)
    t = time.time()
    got = [r.line(a.chars) for _ in range(a.count)]
    print('%.2f ms per sample, %.0f columns on average' % ((time.time() - t) / a.count * 1e3, np.mean([x.shape[1] for x, _ in got])))
    w = max(x.shape[1] for x, _ in got)
    rows = [np.pad(x, ((2, 2), (0, w - x.shape[1])), constant_values=0) for x, _ in got]
    cv2.imwrite(a.out, ((np.vstack(rows) + 1.5) * 85).clip(0, 255).astype(np.uint8))
    for _, s in got:
        print(s)


if __name__ == '__main__':
    main()
