"""The document locator: a small fully convolutional network.

In  'x'    float32 [n, 3, h, w], one of render.INPUT_SHAPES (any multiples of 16 work)
Out 'maps' float32 [n, 8, h / 4, w / 4], probabilities in the order of render.CHANNELS

Down to a sixteenth with dilated rows there, so that every cell sees the whole document (which way up it lies is
written all over it), then up again to a quarter for the corners' places.
"""
import torch
from torch import nn

from render import CHANNELS, CORNERS

CORNER_PRIOR = -4.0        # log-odds of "a corner is here" at the start: nearly every cell has none


def conv(i, o, kernel=3, stride=1, dilation=1):
    return nn.Sequential(nn.Conv2d(i, o, kernel, stride, dilation * (kernel // 2), dilation, bias=False),
                         nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, c, dilation=1):
        super().__init__()
        self.f = conv(c, c, dilation=dilation)

    def forward(self, x):
        return x + self.f(x)


class Locator(nn.Module):
    def __init__(self):
        super().__init__()
        self.quarter = nn.Sequential(conv(3, 16, stride=2), conv(16, 32, stride=2))
        self.eighth = nn.Sequential(conv(32, 48, stride=2), Residual(48))
        self.sixteenth = nn.Sequential(conv(48, 64, stride=2), Residual(64), Residual(64, 2), Residual(64, 4), Residual(64))
        self.to_eighth = nn.Conv2d(64, 48, 1)
        self.at_eighth = Residual(48)
        self.to_quarter = nn.Conv2d(48, 32, 1)
        self.at_quarter = conv(32, 32)
        self.head = nn.Conv2d(32, len(CHANNELS), 1)
        with torch.no_grad():
            self.head.bias[CORNERS] = CORNER_PRIOR

    def logits(self, x):
        a = self.quarter(x)
        b = self.eighth(a)
        c = self.sixteenth(b)
        b = self.at_eighth(b + self.double(self.to_eighth(c)))
        a = self.at_quarter(a + self.double(self.to_quarter(b)))
        return self.head(a)

    @staticmethod
    def double(x):
        return nn.functional.interpolate(x, scale_factor=2., mode='nearest')

    def forward(self, x):
        return torch.sigmoid(self.logits(x))
