/**
 * Puts the person's settings and the size of the real screen on the page's root element. They are in no store of the browser: the
 * entry of the page's history has them, and loses them with the visit.
 */
import type { DisplaySettings } from './screen-context.ts'

export const DEFAULTS: DisplaySettings = {
  textSize: 1,
  highContrast: false,
  lowerButtons: false,
  calm: false,
  speech: false,
  speechRate: 1,
  volume: 0.75,
  scanning: false,
}

/** What a history entry holds, if these are settings. Speech waits for its voices and is asked for again. */
export function keptSettings(state: unknown): DisplaySettings | null {
  if (typeof state !== 'object' || state === null) return null
  const kept = state as Readonly<Record<string, unknown>>
  const fits = Object.entries(DEFAULTS).every(([name, value]) => typeof kept[name] === typeof value)
  return fits ? { ...(state as DisplaySettings), speech: false } : null
}

/** Whoever uses one of these reads, hears or touches more slowly: every time is doubled (ux "Time"). */
export function needsTime(settings: DisplaySettings): boolean {
  return settings.textSize > 1 || settings.speech || settings.scanning
}

export function applySettings(settings: DisplaySettings, root = document.documentElement): void {
  root.dataset.text = String(settings.textSize)
  root.dataset.contrast = settings.highContrast ? 'high' : 'standard'
  root.dataset.reach = settings.lowerButtons ? 'low' : 'standard'
  root.toggleAttribute('data-calm', settings.calm)
}

// The tokens are drawn for 27 inches of 1080 × 1920 pixels.
const DRAWN_MM_PER_PX = 0.3113
/** The short side of the screen the sizes still fit on: 1080 px of 21.5 inches, in pixels of the drawing. */
const MIN_SHORT_SIDE = 860

/** Pixels of this screen for a pixel of the drawing, so that a size is the same in millimetres. */
export function scaleOf(screen: { widthPx: number; heightPx: number; diagonalInch: number }): number {
  const mmPerPx = (screen.diagonalInch * 25.4) / Math.hypot(screen.widthPx, screen.heightPx)
  const fitting = Math.min(screen.widthPx, screen.heightPx) / MIN_SHORT_SIDE
  return Math.min(DRAWN_MM_PER_PX / mmPerPx, fitting)
}

export function applyScale(diagonalInch: number, root = document.documentElement): void {
  const scale = scaleOf({ widthPx: window.innerWidth, heightPx: window.innerHeight, diagonalInch })
  root.style.setProperty('--u', `${scale.toFixed(4)}px`)
}
