/** A document's way from the first look to the receipt, with a pretended camera, appliance and clock. */
import { describe, expect, test } from 'vitest'
import type { CaptureGuidance, RecognisedSide } from '../../../server/api/contract/capture.ts'
import { DocumentRun, type DocumentWorld } from '../../../renderer/capture/document/run.ts'
import type { DocumentSide } from '../../../renderer/capture/events.ts'
import type { Grey } from '../../../renderer/capture/grey.ts'
import { CaptureCallError, type CaptureClient } from '../../../renderer/capture/protocol.ts'

type Told = readonly [what: string, detail: object]
const OUTLINE = [{ x: 0.1, y: 0.1 }, { x: 0.9, y: 0.1 }, { x: 0.9, y: 0.9 }, { x: 0.1, y: 0.9 }] // oxfmt-ignore
const READY: CaptureGuidance = { codes: [], hint: 'TAKE_PICTURE', outline: OUTLINE, ready: true }
const GONE: CaptureGuidance = { codes: ['1535'], hint: 'SHOW_DOCUMENT', outline: null, ready: false }
const BLURRED: CaptureGuidance = { ...READY, codes: ['1533'], hint: 'HOLD_STILL', ready: false }
const SHINY: CaptureGuidance = { ...READY, codes: ['1532'], hint: 'AVOID_REFLECTION', ready: false }

interface Scene {
  readonly sides?: readonly DocumentSide[]
  /** The appliance's guidance about the present picture. */
  readonly guidance: (nowMs: number) => CaptureGuidance
  /** The present view of the camera: another number is another side. */
  readonly shows?: (nowMs: number) => number
  readonly handIn?: () => Promise<unknown>
  /** The appliance's recognition of the captured picture. */
  readonly recognise?: (nowMs: number) => Partial<RecognisedSide>
  /** The person wants to use a document of another kind. */
  readonly usesOther?: boolean
  readonly refusedBefore?: boolean
}

/** Everything happens at once, and each wait moves the clock on: hours pass in no time. */
function play({
  sides = ['FRONT'],
  guidance,
  shows = () => 1,
  handIn = async () => ({ status: 'PROCESSING' }),
  recognise = () => ({}),
  usesOther = false,
  refusedBefore = false,
}: Scene) {
  let nowMs = 0
  const told: Told[] = []
  const tell = (what: string) => (detail: object) => void told.push([what, detail])
  const grey = (width: number, height: number): Grey => ({
    width,
    height,
    values: Uint8Array.from(
      { length: width * height },
      (_, i) => (i * 37 * shows(nowMs) + (i >> 3) * 11) % 240,
    ),
  })
  const sent: { side: DocumentSide; further: number }[] = []
  const client: CaptureClient = {
    session: async () => ({ kind: 'DOCUMENT', state: 'OPEN', sidesToCapture: [...sides], expiresAt: '' }),
    assess: async () => guidance(nowMs),
    recognise: async () => ({
      isDocument: true,
      documentType: null,
      issuingCountry: null,
      shows: null,
      isAsked: null,
      sidesToCapture: [...sides],
      ...recognise(nowMs),
    }),
    handIn: async (pictures, _details, onProgress) => {
      onProgress(1)
      const answer = await handIn()
      for (const [side, { further }] of pictures) sent.push({ side, further: further.length })
      return answer as never
    },
    begin: () => Promise.reject(new TypeError('not of a document')),
    sendFrame: () => Promise.reject(new TypeError('not of a document')),
    abandon: async () => undefined,
  }
  const world: DocumentWorld = {
    client,
    eyes: {
      grey,
      sharpness: () => 10,
      jpeg: async () => new Blob([`picture ${shows(nowMs)}`]),
      longSidePx: 1920,
      nextPicture: async () => undefined,
      close: () => undefined,
    },
    now: () => nowMs,
    wait: async (ms, signal) => {
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      // Two loops wait side by side: each passes half of the time.
      nowMs += ms / 2
    },
    facesPerson: () => true,
    canOpen: async (file) => file.type === 'image/jpeg',
    details: () => ({}),
    triedBefore: 0,
    refusedBefore,
    tell: {
      advice: tell('advice'),
      outline: () => undefined,
      shutter: tell('shutter'),
      ladder: tell('ladder'),
      refused: tell('refused'),
      sideWanted: (side) => told.push(['wanted', { side }]),
      sideCaptured: tell('side'),
      otherKind: async (detail) => {
        told.push(['other', detail])
        return usesOther
      },
      progress: tell('progress'),
      captured: tell('captured'),
      over: tell('over'),
    },
  }
  const of = (what: string) => told.filter(([name]) => name === what).map(([, detail]) => detail)
  return { run: new DocumentRun(world), of, sent, now: () => nowMs }
}

const codesOf = (advices: readonly object[]) => advices.map((advice) => (advice as { code: string }).code)

describe('a document', () => {
  test('that is held well is taken by itself, with further pictures beside it', async () => {
    const { run, of, sent } = play({ guidance: () => READY })
    await run.run()
    expect(of('side')).toEqual([
      { side: 'FRONT', quality: 'good', by: 'automatic', next: null, documentType: null },
    ])
    expect(sent[0].further).toBeGreaterThan(0)
    expect(sent[0].further).toBeLessThanOrEqual(4)
    expect(of('captured')).toHaveLength(1)
  })

  test('is sent while its photo is shown, and the person reads it to the end', async () => {
    let sentAtMs = Infinity
    const scene = play({
      guidance: () => READY,
      handIn: async () => {
        sentAtMs = scene.now()
        return { status: 'PROCESSING' }
      },
    })
    await scene.run.run()
    // A wait of the pretended clock passes half its time: the photo stands for 600 ms of it.
    expect(scene.now() - sentAtMs).toBe(600)
    expect(codesOf(scene.of('advice')).at(-1)).toBe('TAKEN')
  })

  test('whose photo shows none is not done, and is looked for again once the view has changed', async () => {
    let looks = 0
    const { run, of, sent } = play({
      guidance: () => READY,
      shows: () => looks + 1,
      recognise: () => ({ isDocument: looks++ > 1 }),
    })
    await run.run()
    expect(codesOf(of('advice')).filter((code) => code === 'NOT_A_DOCUMENT')).toHaveLength(2)
    expect(of('side')).toHaveLength(1)
    expect(sent).toHaveLength(1)
  })

  test.each(['moves', 'is taken away', 'is photographed by hand'])(
    'that was refused is not taken again by itself until it %s',
    async (what) => {
      const changesAtMs = 30_000
      let looks = 0
      const scene = play({
        guidance: (nowMs) =>
          what === 'is taken away' && nowMs > changesAtMs && nowMs < changesAtMs + 2_000 ? GONE : READY,
        shows: (nowMs) => (what === 'moves' && nowMs > changesAtMs ? 3 : 1),
        recognise: () => ({ isDocument: looks++ > 0 }),
      })
      const running = scene.run.run()
      await seen(() => scene.now() > changesAtMs)
      expect(looks).toBe(1)
      expect(codesOf(scene.of('advice')).at(-1)).toBe('CHANGE')
      if (what === 'is photographed by hand') await scene.run.takePhoto()
      await running
      expect(scene.of('captured')).toHaveLength(1)
    },
  )

  test('that another session refused waits for a change, too', async () => {
    const changesAtMs = 30_000
    const scene = play({
      guidance: () => READY,
      shows: (nowMs) => (nowMs < changesAtMs ? 1 : 3),
      refusedBefore: true,
    })
    await scene.run.run()
    expect(scene.now()).toBeGreaterThan(changesAtMs)
    expect(scene.of('captured')).toHaveLength(1)
  })

  test('of another kind than the one that was asked for is used only if the person says so', async () => {
    const other = { isAsked: false, documentType: 'PASSPORT' } as const
    const used = play({ guidance: () => READY, recognise: () => other, usesOther: true })
    await used.run.run()
    expect(used.of('other')).toEqual([{ side: 'FRONT', documentType: 'PASSPORT' }])
    expect(used.of('side')).toMatchObject([{ documentType: 'PASSPORT' }])

    let looks = 0
    const refused = play({
      guidance: () => READY,
      shows: () => looks + 1,
      recognise: () => (looks++ === 0 ? other : { isAsked: true }),
    })
    await refused.run.run()
    expect(codesOf(refused.of('advice'))).toContain('OTHER_KIND')
    expect(refused.of('side')).toHaveLength(1)
  })

  test('tells by its kind whether its back is wanted', async () => {
    const { run, of, sent } = play({
      sides: ['FRONT', 'BACK'],
      guidance: () => READY,
      recognise: () => ({ documentType: 'PASSPORT', sidesToCapture: ['FRONT'] }),
    })
    await run.run()
    expect(of('side')).toMatchObject([{ side: 'FRONT', next: null, documentType: 'PASSPORT' }])
    expect(sent.map(({ side }) => side)).toEqual(['FRONT'])
  })

  test('whose back comes first is asked for its front', async () => {
    const { run, of, sent } = play({
      sides: ['FRONT', 'BACK'],
      guidance: () => READY,
      shows: (nowMs) => (nowMs < 12_000 ? 1 : 3),
      recognise: (nowMs) => ({ shows: nowMs < 12_000 ? 'BACK' : 'FRONT' }),
    })
    await run.run()
    expect(of('side')).toMatchObject([
      { side: 'BACK', next: 'FRONT' },
      { side: 'FRONT', next: null },
    ])
    expect(sent.map(({ side }) => side).toSorted()).toEqual(['BACK', 'FRONT'])
  })

  test('whose front is shown again is not done with its back: the person is told at once, each time', async () => {
    let photos = 0
    const { run, of, sent } = play({
      sides: ['FRONT', 'BACK'],
      guidance: () => READY,
      // Another picture of it each time, and the back at last.
      shows: () => photos + 1,
      recognise: () => ({ shows: ++photos <= 3 ? 'FRONT' : 'BACK' }),
    })
    await run.run()
    expect(of('refused')).toEqual([{ why: 'FRONT_AGAIN' }, { why: 'FRONT_AGAIN' }])
    expect(codesOf(of('advice')).filter((code) => code === 'FRONT_AGAIN')).toHaveLength(2)
    expect(of('side')).toMatchObject([{ side: 'FRONT' }, { side: 'BACK' }])
    expect(sent.map(({ side }) => side)).toEqual(['FRONT', 'BACK'])
  })

  test('whose file of the front is given for the back, too, is asked for the back', async () => {
    const { run, of, sent } = play({ sides: ['FRONT', 'BACK'], guidance: () => BLURRED })
    const file = (side: string) => new Blob([side], { type: 'image/jpeg' })
    const running = run.run()
    await seen(() => of('wanted').length > 0)
    await run.sendFile(file('front'))
    await seen(() => of('wanted').length > 1)
    await run.sendFile(file('front'))
    await seen(() => of('wanted').length > 2)
    expect(of('refused')).toEqual([{ why: 'FRONT_AGAIN' }])
    expect(sent).toEqual([])
    await run.sendFile(file('back'))
    await running
    expect(sent.map(({ side }) => side)).toEqual(['FRONT', 'BACK'])
  })

  test('with a second side is asked for it, and the first is not taken twice', async () => {
    const turnedAtMs = 12_000
    const { run, of, sent, now } = play({
      sides: ['FRONT', 'BACK'],
      guidance: () => READY,
      shows: (nowMs) => (nowMs < turnedAtMs ? 1 : 3),
    })
    await run.run()
    expect(now()).toBeGreaterThan(turnedAtMs)
    expect(of('wanted')).toEqual([{ side: 'FRONT' }, { side: 'BACK' }])
    expect(codesOf(of('advice'))).toContain('WRONG_SIDE')
    expect(sent.map(({ side }) => side)).toEqual(['FRONT', 'BACK'])
  })

  test('is not asked for its back again where it was turned over while the front was looked at', async () => {
    const isFrontTaken = () => scene.of('side').length > 0
    const scene = play({
      sides: ['FRONT', 'BACK'],
      // By hand, and hard to read: the flattened front is unknown.
      guidance: () => (isFrontTaken() ? READY : BLURRED),
      shows: () => (isFrontTaken() ? 3 : 1),
    })
    const running = scene.run.run()
    await seen(() => scene.of('advice').length > 0)
    await scene.run.takePhoto()
    await scene.run.takePhoto()
    await seen(() => scene.of('captured').length > 0 || scene.now() > 120_000)
    scene.run.stop()
    await running
    expect(codesOf(scene.of('advice'))).not.toContain('WRONG_SIDE')
    expect(scene.sent.map(({ side }) => side)).toEqual(['FRONT', 'BACK'])
  })

  test('that shines at every angle is taken in several tilted pictures', async () => {
    const { run, of, sent } = play({ guidance: () => SHINY })
    await run.run()
    expect(codesOf(of('advice')).slice(0, 4)).toEqual(['GLARE', 'TILT_SLOWLY', 'LOOKING', 'TAKEN'])
    expect(sent).toEqual([{ side: 'FRONT', further: 4 }])
  })

  test('that shines no more once the tilted pictures have begun is taken like any other', async () => {
    let looks = 0
    const scene = play({
      guidance: () => (codesOf(scene.of('advice')).includes('TILT_SLOWLY') && looks++ > 2 ? READY : SHINY),
    })
    await scene.run.run()
    expect(scene.of('side')).toMatchObject([{ side: 'FRONT', by: 'automatic', quality: 'good' }])
    expect(scene.of('captured')).toHaveLength(1)
  })

  test('that is hard to read is kept after the second manual try, and the person is told', async () => {
    const { run, of, sent } = play({ guidance: () => BLURRED })
    const running = run.run()
    await seen(() => of('advice').length > 0)
    await run.takePhoto()
    expect(of('side')).toEqual([])
    await run.takePhoto()
    await running
    expect(of('side')).toMatchObject([{ quality: 'hard-to-read', by: 'manual' }])
    expect(codesOf(of('advice'))).toContain('HARD_TO_READ')
    expect(sent).toEqual([{ side: 'FRONT', further: 1 }])
  })

  test('may come from a file; one that is no picture is not sent', async () => {
    const { run, of } = play({ guidance: () => BLURRED })
    const running = run.run()
    await seen(() => of('wanted').length > 0)
    await run.sendFile(new Blob(['text'], { type: 'text/plain' }))
    expect(codesOf(of('advice'))).toContain('FILE_UNREADABLE')
    await run.sendFile(new Blob(['jpeg'], { type: 'image/jpeg' }))
    await running
    expect(of('side')).toMatchObject([{ by: 'file', quality: 'unknown' }])
  })

  test('that is never held still raises the level of help to the tips beside the manual shutter', async () => {
    const { run, of, now } = play({ guidance: () => BLURRED })
    void run.run()
    await seen(() => now() > 26_000)
    run.stop()
    expect(of('ladder').map((detail) => (detail as { rung: number }).rung)).toEqual([0, 1, 2])
  })
})

describe('the pictures', () => {
  const failing = (fault: 'offline' | 'busy' | 'gone' | 'unfit', times: number) => {
    let left = times
    return async () => {
      if (left-- > 0) throw new CaptureCallError(fault)
      return { status: 'PROCESSING' }
    }
  }
  test('are sent again while the line is down', async () => {
    const { run, of } = play({ guidance: () => READY, handIn: failing('offline', 3) })
    await run.run()
    const pauses = of('progress').filter((detail) => (detail as { phase: string }).phase === 'waiting')
    expect(pauses.map((detail) => (detail as { retryInMs: number }).retryInMs)).toEqual([1000, 2000, 4000])
    expect(of('captured')).toHaveLength(1)
  })
  test('have arrived when only the answer was lost: the session is gone because it was used', async () => {
    let calls = 0
    const handIn = () => Promise.reject(new CaptureCallError(++calls === 1 ? 'offline' : 'gone'))
    const { run, of } = play({ guidance: () => READY, handIn })
    await run.run()
    expect([of('captured'), of('over')]).toEqual([[{ evidence: null }], []])
  })
  test('that the appliance does not take end the session as refused', async () => {
    const { run, of } = play({ guidance: () => READY, handIn: failing('unfit', 1) })
    await run.run()
    expect(of('over')).toEqual([{ reason: 'refused', mayRetry: true }])
  })
})

test('a run that was stopped tells nothing more', async () => {
  const { run, of } = play({ guidance: () => BLURRED })
  const running = run.run()
  await seen(() => of('wanted').length > 0)
  run.stop()
  await running
  expect([of('over'), of('captured')]).toEqual([[], []])
})

async function seen(isThere: () => boolean): Promise<void> {
  while (!isThere()) await new Promise((resolve) => setImmediate(resolve))
}
