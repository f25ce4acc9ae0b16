/** A portrait's capture run in the page: which pictures are sent, and which are waited for. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import type { SessionOverDetail } from '../../../renderer/capture/events.ts'
import { CAPTURE_LIMITS } from '../../../renderer/capture/limits.ts'
import { PortraitRun } from '../../../renderer/capture/portrait/run.ts'
import { CaptureCallError, type CaptureClient } from '../../../renderer/capture/protocol.ts'
import { loadLivenessLimits } from '../../../server/verification/liveness-limits.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>

const FRAME_MS = 33
const { sameAtMostMs } = CAPTURE_LIMITS.portrait
const prompt = { kind: 'LOOK_STRAIGHT', index: 1, of: 1, colour: null, isHolding: false, attempt: 1 } as const
const asks = (sequence: number): Capturing => ({
  state: 'CAPTURING',
  sequence,
  ticket: 'ticket',
  prompt,
  hint: 'ALL_GOOD',
  progress: 0,
  face: null,
  expiresAt: '2026-11-22T00:00:00.000',
})
const evidence = { status: 'PROCESSING', type: 'PORTRAIT', id: 'id' } as const

/** `camera`: what it shows, picture by picture, the last one for ever; `ends`: after so many pictures that were taken. */
async function run(camera: readonly string[], ends: number, refuse: readonly number[] = []) {
  const sent: string[] = []
  let [shown, calls, taken] = [0, 0, 0]
  const ended = { captured: 0, over: [] as SessionOverDetail[] }
  const client = {
    session: async () => ({ kind: 'PORTRAIT' }),
    begin: async () => asks(1),
    sendFrame: async (picture: Blob): Promise<PortraitGuidance> => {
      sent.push(await picture.text())
      if (refuse.includes((calls += 1))) throw new CaptureCallError('busy')
      taken += 1
      return taken === ends ? { state: 'ENDED', evidence } : asks(taken + 1)
    },
  }
  const run = new PortraitRun({
    eyes: {
      nextPicture: async () => {
        vi.advanceTimersByTime(FRAME_MS)
        shown += 1
      },
      jpeg: async () => new Blob([camera[Math.min(shown, camera.length) - 1]]),
      grey: () => null,
      sharpness: () => 0,
      longSidePx: 640,
      close: () => undefined,
    },
    client: client as unknown as CaptureClient,
    createSigner: async () => ({
      publicKey: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
      digest: (picture) => picture.text(),
      sign: async ({ sequence, ticket }) => ({ sequence, ticket, signature: 'signature' }),
    }),
    camera: () => null,
    isPretended: () => false,
    colours: 'calm',
    wait: async () => undefined,
    show: () => undefined,
    captured: () => {
      ended.captured += 1
    },
    over: (detail) => ended.over.push(detail),
  })
  await run.run()
  return { sent, ended, atMs: performance.now() }
}

describe('pictures of a portrait', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are each sent once, though a camera delivers one twice: the same again would end the session as a replay', async () => {
    const { sent, ended } = await run(['before', 'a', 'a', 'a', 'b', 'a', 'b', 'c'], 3)
    expect(sent).toEqual(['a', 'b', 'c'])
    expect(ended).toEqual({ captured: 1, over: [] })
  })

  test('are sent again if they were refused', async () => {
    const { sent } = await run(['before', 'a', 'a', 'b'], 2, [1])
    expect(sent).toEqual(['a', 'a', 'b'])
  })

  test('of a camera with an unchanging picture are sent, and the appliance names the fault', async () => {
    const from = performance.now()
    const { sent, atMs } = await run(['before', 'a'], 2)
    expect(sent).toEqual(['a', 'a'])
    expect(atMs - from).toBeGreaterThan(sameAtMostMs)
    expect(atMs - from).toBeLessThan(sameAtMostMs + 10 * FRAME_MS)
  })

  test('are waited for no longer than the appliance takes one', () => {
    expect(sameAtMostMs).toBeLessThan(loadLivenessLimits().longestGapMs)
  })
})
