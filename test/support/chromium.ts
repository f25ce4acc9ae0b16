/** Starts Debian's Chromium for the tests, and runs axe-core on the present page. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'

export const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Chromium's own sandbox cannot start for root. */
export const SANDBOX_ARGS: readonly string[] = process.getuid?.() === 0 ? ['--no-sandbox'] : []
/** The features that Playwright switches off, repeated because Chromium uses only the last list. */
const OFF_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]
/**
 * The browser's own toolbar: it is invisible without a window, and drawing it costs each new context half a
 * second of a core.
 */
const TOOLBAR = [
  'PreloadTopChromeWebUI',
  'InitialWebUI',
  'WebUIReloadButton',
  'WebUIToolbar',
  'WebUILocationBar',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
]
/** CI machines have no graphics card: software emulation costs more than drawing without one. */
export const LIGHT_ARGS: readonly string[] = [
  '--disable-gpu',
  `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...TOOLBAR].join(',')}`,
]

/** A film from a file replaces the camera, without a permission prompt. */
export const cameraArgs = (film: string): readonly string[] => [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-video-capture=${film}`,
]

/** The longest wait for anything on a page, for a machine that is busy with other tests. */
export const NEXT_MS = 90_000

export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...args, ...LIGHT_ARGS, ...SANDBOX_ARGS],
  })
  browser.on('context', (context) => {
    context.setDefaultTimeout(NEXT_MS)
  })
  return browser
}

/**
 * Resolves when no fade is running, because contrast and positions change during one; repeating animations
 * continue.
 */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
    const ends = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations === 1)
      .map(({ finished }) => finished.catch(() => undefined))
    await Promise.all(ends)
  })
}

/** @returns every finding of axe-core, in words; empty: none. */
export async function scan(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          where: Document,
          how: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; target: unknown[] }[] }[] }>
      }
    }
    // Leave out passed rules: reporting them takes longer than checking.
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  })
}
