/** The kiosk's page is small: a browser that has just started, or a page loaded anew after each visit, shows it at once. */
import { expect, test } from 'vitest'
import { measureBundle } from '../../../server/bench/screens-bundle.ts'
import { ensureRendererBuilt } from '../../../server/launch/renderer.ts'

/** What the kiosk may load before it shows its first screen, compressed, without fonts. */
const MOST_BYTES = 400_000

test('scripts and styles of the kiosk are at most 400 kB compressed', async () => {
  const { scripts, styles } = measureBundle(await ensureRendererBuilt(), 'kiosk')
  // Less than any page could be: then nothing was measured.
  expect(Math.min(scripts, styles)).toBeGreaterThan(1_000)
  expect(scripts + styles).toBeLessThanOrEqual(MOST_BYTES)
}, 120_000)
