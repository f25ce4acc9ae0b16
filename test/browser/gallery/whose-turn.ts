/** Runs in a kiosk's page and notes from moment to moment who is waited for: the person or the machine. */
import type { Page } from 'playwright-core'

export type Turn = 'person' | 'machine'
/** A time in which the same one was waited for, at one step of the visit. */
export interface Span {
  readonly step: string
  readonly turn: Turn
  readonly ms: number
  /** The text of a wait after one second and after four; '' if there was none. */
  readonly said: string
  readonly steps: boolean
}

export const watchTurns = async (page: Page): Promise<void> => void (await page.addInitScript(watch))

/** All that has been since the page was opened, the present one too. */
export const spansOf = (page: Page): Promise<readonly Span[]> =>
  page.evaluate(() => (globalThis as unknown as { spansSoFar: () => readonly Span[] }).spansSoFar())

function watch(): void {
  const spans: { step: string; turn: 'person' | 'machine'; ms: number; said: string; steps: boolean }[] = []
  let beganMs = performance.now()
  let now: { step: string; turn: 'person' | 'machine' } | null = null
  let said = ''
  let hasSteps = false
  /** The machine is at work while it says so, or says that a call of the person is under way. */
  const look = (): { step: string; turn: 'person' | 'machine' } => {
    const main = document.querySelector('main')
    const screen = main?.querySelector('.screen:not([hidden])')
    const name = /screen-(\w+)/.exec(screen?.className ?? '')?.[1] ?? 'starting'
    const step = document.querySelector<HTMLElement>('.step-text')?.innerText ?? name
    const code = main?.querySelector<HTMLElement>('.guidance')?.dataset.code
    const isBusy =
      name === 'starting' ||
      name === 'checking' ||
      name === 'waiting' ||
      main?.getAttribute('aria-busy') === 'true' ||
      (code !== undefined && ['', 'LOOKING', 'SENDING', 'TAKEN', 'HARD_TO_READ'].includes(code))
    return { step, turn: isBusy ? 'machine' : 'person' }
  }
  const visibleWords = (): string =>
    ['main .guidance', 'main h1'].flatMap(
      (part) => document.querySelector<HTMLElement>(part)?.innerText ?? [],
    )[0] ?? ''
  const close = () => {
    if (now) spans.push({ ...now, ms: performance.now() - beganMs, said, steps: hasSteps })
  }
  const tick = () => {
    const next = look()
    const ms = performance.now() - beganMs
    if (next.step !== now?.step || next.turn !== now.turn) {
      close()
      now = next
      beganMs = performance.now()
      said = ''
      hasSteps = false
    } else if (next.turn === 'machine') {
      if (ms > 1000 && said === '') said = visibleWords()
      if (ms > 1000) hasSteps ||= document.querySelector('main .rows') !== null
    }
    requestAnimationFrame(tick)
  }
  requestAnimationFrame(tick)
  Object.assign(globalThis, {
    spansSoFar: () => [
      ...spans,
      ...(now ? [{ ...now, ms: performance.now() - beganMs, said, steps: hasSteps }] : []),
    ],
  })
}
