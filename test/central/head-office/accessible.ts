/** Runs axe on a page whose policy lets no foreign script in. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The script runs in a world of its own, which the policy of the page does not reach. */
export async function expectAccessible(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.enable')
  const { frameTree } = await session.send('Page.getFrameTree')
  const world = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
  const run = async (expression: string) =>
    session.send('Runtime.evaluate', {
      expression,
      contextId: world.executionContextId,
      awaitPromise: true,
      returnByValue: true,
    })
  await run(AXE)
  const { result } = await run(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target).join(", ")))',
  )
  expect(result.value).toEqual([])
}
