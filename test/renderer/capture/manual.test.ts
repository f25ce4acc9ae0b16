/** The manual shutter with an appliance that is slow, or unreachable. */
import { expect, test } from 'vitest'
import { assessPicture } from '../../../renderer/capture/document/manual.ts'
import { CaptureCallError, type CallFault } from '../../../renderer/capture/protocol.ts'
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'

const GUIDANCE = { ready: true, codes: [], hint: null, outline: null } as unknown as CaptureGuidance

/** An appliance that answers with these faults first. */
async function ask(faults: readonly CallFault[], signal = new AbortController().signal) {
  const left = [...faults]
  let asked = 0
  const assess = () => {
    asked++
    const fault = left.shift()
    return fault ? Promise.reject(new CaptureCallError(fault)) : Promise.resolve(GUIDANCE)
  }
  const hands = { client: { assess }, wait: () => Promise.resolve() }
  const opinion = await assessPicture(new Blob(), hands as never, signal)
  return { opinion, asked }
}

test('a photo is judged though the appliance looks at a live picture for seconds', async () => {
  expect(await ask(Array<CallFault>(20).fill('busy'))).toEqual({ opinion: GUIDANCE, asked: 21 })
})

test('a photo is taken without a verdict when the appliance cannot be reached, or is busy for too long', async () => {
  expect(await ask(Array<CallFault>(50).fill('offline'))).toEqual({ opinion: null, asked: 4 })
  const { opinion, asked } = await ask(Array<CallFault>(500).fill('busy'))
  expect(opinion).toBeNull()
  expect(asked).toBeLessThan(200)
})

test('a person who continues meanwhile is not kept, and a session that is gone is told', async () => {
  expect(await ask([], AbortSignal.abort())).toEqual({ opinion: null, asked: 0 })
  await expect(ask(['gone'])).rejects.toThrow(CaptureCallError)
})
