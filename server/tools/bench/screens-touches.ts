/** Makes an applicant's touches at the kiosk one after the other, and times each until the screen has been drawn. */
import type { Browser, Page } from 'playwright-core'

export interface Touch {
  readonly what: string
  /** Time from lifting the finger to the end of the next drawing. */
  readonly ms: number
}

const UPRIGHT = { width: 1080, height: 1920 }
/** Buttons by their text, or by their place with `#`; `?`: only if it is there. There are two or more screens between the first and the last. */
const TOUCHES: readonly string[] = [
  'High contrast',
  'High contrast',
  'Lower buttons',
  'Lower buttons',
  '#bar-display',
  'Go on',
  'English',
  'Read it all',
  'Back to the question',
  '#bar-display',
  'Go on',
  '#consent-agree',
  // The question about the issuer, which an appliance without one does not ask.
  '?Yes',
  'Choose the document myself',
  'Something else',
  'Back',
  'Passport',
  'Another country',
  'u',
  't',
  'o',
  'Back',
  '#bar-stop',
  'Go on',
]

/** One whole round in a separate page. Throws if a button is missing. */
export async function touchThrough(browser: Browser, url: string): Promise<Touch[]> {
  const context = await browser.newContext({ viewport: UPRIGHT, hasTouch: true })
  const page = await context.newPage()
  await page.goto(url)
  await page.locator('.choices button').first().waitFor()
  await page.evaluate(watchTouches)
  const touches: Touch[] = []
  for (const named of TOUCHES) {
    const what = named.replace(/^\?/, '')
    if (named !== what && !(await appears(page, what))) continue
    touches.push({ what, ms: await touch(page, what) })
  }
  await context.close()
  return touches
}

async function appears(page: Page, name: string): Promise<boolean> {
  await page.waitForTimeout(1000)
  return (await page.getByRole('button', { name: new RegExp(`^${name}`) }).count()) > 0
}

async function touch(page: Page, what: string): Promise<number> {
  const open = page.locator('dialog[open]')
  const within = (await open.count()) > 0 ? open : page.locator('kiosk-app')
  const button = what.startsWith('#')
    ? page.locator(what)
    : within.getByRole('button', { name: new RegExp(`^(Start (in )?)?${what}`) }).first()
  // A finger does not wait for the page, so the touch goes to the button's position.
  await button.waitFor()
  await page.waitForTimeout(150)
  const box = await button.boundingBox()
  if (!box) throw new Error(`nothing to touch: ${what}`)
  await page.evaluate(() => ((globalThis as unknown as Watched).touchTime = null))
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2)
  await page.waitForFunction(() => (globalThis as unknown as Watched).touchTime !== null)
  return page.evaluate(() => (globalThis as unknown as Watched).touchTime ?? Infinity)
}

interface Watched {
  touchTime: number | null
}

/**
 * Runs inside the page. Counts an interaction as Event Timing does (pointerup to the next paint): the frame after the
 * touch, and the task after that frame. Uses its own clock, because Event Timing rounds to 8 ms and omits what is
 * quicker than 16 ms.
 */
function watchTouches(): void {
  addEventListener(
    'pointerup',
    ({ timeStamp }) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        ;(globalThis as unknown as Watched).touchTime = performance.now() - timeStamp
      }
      // The click comes after the pointer event and before the frame.
      addEventListener('click', () => requestAnimationFrame(() => port2.postMessage(null)), {
        capture: true,
        once: true,
      })
    },
    { capture: true },
  )
}
