/**
 * Applies the applicant's settings and the size of the real screen to the page's root element. No browser
 * storage holds them, only the history entry of the page, which ends with the visit.
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

/**
 * Reads settings from a history entry. Speech is left out: it waits for the browser's voices and is asked for
 * again.
 */
export function keptSettings(state: unknown): DisplaySettings | null {
  if (typeof state !== 'object' || state === null) return null
  const kept = state as Readonly<Record<string, unknown>>
  const fits = Object.entries(DEFAULTS).every(([name, value]) => typeof kept[name] === typeof value)
  return fits ? { ...(state as DisplaySettings), speech: false } : null
}

/**
 * These settings mean that the applicant reads, hears or touches more slowly: every time is doubled (ux
 * "Time").
 */
export function needsTime(settings: DisplaySettings): boolean {
  return settings.textSize > 1 || settings.speech || settings.scanning
}

export function applySettings(settings: DisplaySettings, root = document.documentElement): void {
  root.dataset.text = String(settings.textSize)
  root.dataset.contrast = settings.highContrast ? 'high' : 'standard'
  root.dataset.reach = settings.lowerButtons ? 'low' : 'standard'
  root.toggleAttribute('data-calm', settings.calm)
}

// The tokens are designed for 27 inches with 1080 × 1920 pixels.
const DRAWN_MM_PER_PX = 0.3113
/** The smallest short side that the layout fits: 1080 px at 21.5 inches, in pixels of the design. */
const MIN_SHORT_SIDE = 860

/** Returns the pixels of this screen per pixel of the design, so that sizes are the same in millimetres. */
export function computeScale(screen: { widthPx: number; heightPx: number; diagonalInch: number }): number {
  const mmPerPx = (screen.diagonalInch * 25.4) / Math.hypot(screen.widthPx, screen.heightPx)
  const fitting = Math.min(screen.widthPx, screen.heightPx) / MIN_SHORT_SIDE
  return Math.min(DRAWN_MM_PER_PX / mmPerPx, fitting)
}

export function applyScale(diagonalInch: number, root = document.documentElement): void {
  const scale = computeScale({ widthPx: window.innerWidth, heightPx: window.innerHeight, diagonalInch })
  root.style.setProperty('--u', `${scale.toFixed(4)}px`)
}
