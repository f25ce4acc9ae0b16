/** A kiosk that may not begin visits says so before a visit begins, and opens again by itself. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ensureRendererBuilt } from '../../server/launch/renderer.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { startTestApp } from '../support/app.ts'
import { CHROMIUM, launchChromium, scan } from '../support/chromium.ts'

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

test.skipIf(!present)('a frozen kiosk tells the person to go to the counter', async () => {
  const screensDir = await ensureRendererBuilt()
  // More than any disk has left.
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-frozen-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ sync: { freeze: { freeMegabytes: 1e12 } } }))
  const vision = scriptedVision()
  const frozen = await startTestApp({ dataDir, vision, screensDir })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1080, height: 1920 } })
    await page.goto(frozen.url)
    await page.getByRole('heading', { name: 'Not available at the moment' }).waitFor()
    expect(await page.locator('main').innerText()).toMatch(/Go to the counter: the staff there can help you/)
    // The page does not show the technical reason.
    expect(await page.locator('body').innerText()).not.toMatch(/disk|backlog|frozen/i)
    expect(await scan(page)).toEqual([])
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT })

    const port = new URL(frozen.url).port
    await frozen.stop()
    writeFileSync(join(dataDir, 'config.json'), '{}')
    const thawed = await startTestApp({ dataDir, vision, screensDir, port: Number(port) })
    try {
      // The page checks again by itself within a few seconds.
      await page.getByRole('button', { name: 'English' }).waitFor()
    } finally {
      await thawed.close()
    }
  } finally {
    await browser.close()
  }
})
