/** Engines that run as a local HTTP service. Sends faces, never a whole picture; does not own the connection. */
import sharp from 'sharp'
import type { z } from 'zod'
import { clampBox, shrinkByWhole } from '../raster.ts'
import type { Box, Point } from '../protocol.ts'
import {
  EngineUnavailableError,
  nameMaker,
  type AttackDetectionEngine,
  type EngineTrouble,
  type FaceMatchEngine,
  type FacePicture,
} from './engine.ts'
import type { AttackEngineManifest, FaceEngineManifest } from './engine-manifest.ts'
import {
  AttackAnswer,
  ComparisonAnswer,
  EngineAnswer,
  TemplateAnswer,
  type AskService,
  type EngineCall,
  type FaceMessage,
} from './http-protocol.ts'
import { describeMounted, listPoints } from './mounted.ts'
import { readOpaque, writeOpaque } from './opaque-template.ts'

/** Share of the face's box that is sent: the head, and for attacks what is around it. */
const HEAD_TIMES = 2
const SURROUNDING_TIMES = 4
/** A larger part is reduced by a whole factor. */
const MAX_SIDE_PX = 1_280

/** A service that hangs must not hold the worker at every health report. */
const KNOWN_FOR_MS = 30_000
/** A call that failed counts for this time, unless one of the same kind succeeds. */
const TROUBLED_FOR_MS = 300_000

type Ask = (call: EngineCall) => ReturnType<AskService>
type About = ReturnType<typeof describeMounted>['about']

export function openHttpFaceEngine(manifest: FaceEngineManifest, ask: Ask): FaceMatchEngine {
  const described = describeMounted(manifest)
  const { about } = described
  const maker = nameMaker(about)
  const { call, check } = createService(ask, about)

  async function compareSingles(
    probe: Uint8Array,
    references: readonly Uint8Array[],
  ): Promise<(number | null)[]> {
    const body = { probe: toBase64(probe), references: references.map(toBase64) }
    const schema = ComparisonAnswer.refine(({ scores }) => scores.length === references.length)
    return (await call({ path: '/v1/comparisons', body }, schema)).scores
  }

  return {
    ...described,
    points: listPoints(manifest),
    check,
    embed: async (face) => {
      const body = await toMessage(face, HEAD_TIMES)
      const { template } = await call({ path: '/v1/templates', body }, TemplateAnswer)
      return template === null ? null : writeOpaque(maker, [Buffer.from(template, 'base64')])
    },
    fuse: async (templates) => {
      const singles = templates.flatMap((template) => {
        const own = readOpaque(template, maker)
        if (!own) throw new TypeError('a template is not of this engine')
        return own
      })
      return writeOpaque(maker, singles)
    },
    compare: async (probe, references) => {
      const known = readOpaque(probe, maker)
      const others = references.map((reference) => known && readOpaque(reference, maker))
      const singles = others.flatMap((other) => other ?? [])
      if (!known || singles.length === 0) return references.map(() => null)
      const rows: (number | null)[][] = []
      for (const one of known) rows.push(await compareSingles(one, singles))
      let at = 0
      return others.map((other) => {
        if (!other) return null
        const from = at
        at += other.length
        const scores = rows.flatMap((row) => row.slice(from, from + other.length))
        const areAll = scores.every((score) => score !== null)
        if (!areAll) return null
        const score = scores.reduce((sum, value) => sum + value, 0) / scores.length
        return { score, scores: [{ model: about, measure: manifest.measure, value: score }] }
      })
    },
  }
}

export function openHttpAttackEngine(manifest: AttackEngineManifest, ask: Ask): AttackDetectionEngine {
  const described = describeMounted(manifest)
  const { call, check } = createService(ask, described.about)
  return {
    ...described,
    point: manifest.point,
    check,
    score: async (face) => {
      const body = await toMessage(face, SURROUNDING_TIMES)
      return (await call({ path: '/v1/attack-scores', body }, AttackAnswer)).score
    },
  }
}

interface Service {
  /** Rejects with EngineUnavailableError, also for the answer of another engine than the manifest names. */
  readonly call: <T extends z.infer<typeof EngineAnswer>>(
    call: EngineCall,
    schema: z.ZodType<T>,
  ) => Promise<T>
  /**
   * The trouble of the last call of any kind, because an engine may make templates and fail at comparisons. Asks the service if no call
   * was made in the last half minute.
   */
  readonly check: () => Promise<EngineTrouble | null>
}

function createService(ask: Ask, about: About): Service {
  const last = new Map<EngineCall['path'], { readonly trouble: EngineTrouble | null; readonly at: number }>()
  const call: Service['call'] = async (message, schema) => {
    const note = (trouble: EngineTrouble | null) => {
      // A service that answers is reachable for calls of every kind.
      if (trouble === null)
        for (const [path, before] of last) if (isOutOfReach(before.trouble)) last.delete(path)
      last.set(message.path, { trouble, at: performance.now() })
    }
    try {
      const answer = readAnswer(await ask(message), about, schema)
      note(null)
      return answer
    } catch (error) {
      if (error instanceof EngineUnavailableError) note(error.trouble)
      throw error
    }
  }
  const listSince = (ms: number) => [...last.values()].filter(({ at }) => performance.now() - at <= ms)
  return {
    call,
    check: async () => {
      if (listSince(KNOWN_FOR_MS).length === 0)
        await call({ path: '/v1/engine' }, EngineAnswer).catch((error: unknown) => {
          if (!(error instanceof EngineUnavailableError)) throw error
        })
      return listSince(TROUBLED_FOR_MS).find(({ trouble }) => trouble !== null)?.trouble ?? null
    },
  }
}

const isOutOfReach = (trouble: EngineTrouble | null): boolean =>
  trouble === 'unreachable' || trouble === 'timeout'

function readAnswer<T extends z.infer<typeof EngineAnswer>>(
  reply: Awaited<ReturnType<Ask>>,
  { id, version, sha256 }: About,
  schema: z.ZodType<T>,
): T {
  if (reply.kind === 'failed') throw new EngineUnavailableError(reply.trouble)
  const { data } = schema.safeParse(reply.json)
  if (!data) throw new EngineUnavailableError('unexpected-answer')
  const { engine } = data
  if (engine.id !== id || engine.version !== version || engine.sha256 !== sha256)
    throw new EngineUnavailableError('other-engine')
  return data
}

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** The part around the face, `times` its box, as far as the picture reaches; its pixels unchanged unless it is large. */
async function toMessage({ raster, box, points }: FacePicture, times: number): Promise<FaceMessage> {
  const part = clampBox(grow(box, times), raster.width, raster.height)
  const factor = Math.ceil(Math.max(part.width, part.height) / MAX_SIDE_PX)
  const { data, width, height } = shrinkByWhole(raster, factor, part)
  const png = await sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
  // A pixel of the reduced part has its centre in the middle of the pixels that it averages.
  const at = ({ x, y }: Point): readonly [number, number] => [
    (x - part.x - (factor - 1) / 2) / factor,
    (y - part.y - (factor - 1) / 2) / factor,
  ]
  const [rightEye, leftEye, nose, mouth] = points
  return {
    image: png.toString('base64'),
    box: [...at(box), box.width / factor, box.height / factor],
    points: { rightEye: at(rightEye), leftEye: at(leftEye), nose: at(nose), mouth: at(mouth) },
  }
}

function grow({ x, y, width, height }: Box, times: number): Box {
  const [wide, high] = [width * times, height * times]
  return { x: x + (width - wide) / 2, y: y + (height - high) / 2, width: wide, height: high }
}
