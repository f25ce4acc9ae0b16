import { afterEach, expect, test, vi } from 'vitest'
import { run } from '../../../../server/tools/bench/connectors.ts'
import { collectOutput } from '../../../support/output.ts'

interface Figures {
  readonly [name: string]: unknown
  readonly sourceMs: { readonly p50: number }
  readonly addedMs: { readonly p50: number; readonly p95: number }
  readonly auditMs: { readonly p50: number }
}

afterEach(() => void vi.restoreAllMocks())

test('each question goes to a source in a process of its own; the time that the appliance adds is beside the time of the source', async () => {
  const output = collectOutput()
  expect(await run(['--calls', '6', '--parallel', '2', '--json'])).toBe(0)
  const figures = JSON.parse(output.text) as Figures
  expect(figures).toMatchObject({ calls: 6, parallel: 2, unanswered: 0 })
  for (const { p50 } of [figures.sourceMs, figures.addedMs, figures.auditMs]) expect(p50).toBeGreaterThan(0)
  expect(figures.addedMs.p95).toBeGreaterThanOrEqual(figures.addedMs.p50)
})
