/**
 * Every sign of a display alone, on drawn sessions: which displays it refuses, and which living persons. The product's signs are judged with
 * the product's limits. The limits of the other signs are set on the development people, so that one in twenty of them is refused; counted
 * are other people. Of stills, labelled pictures and photographs are counted, too.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { judgeScreen } from '../../../proofing/liveness/screen.ts'
import type { ScreenMeasurement } from '../../../proofing/liveness/types.ts'
import { loadLivenessLimits } from '../../../verification/liveness-limits.ts'
import { measureScreenRecapture } from '../../../vision/documents/authenticity/screen-recapture.ts'
import { median } from '../../../vision/documents/percentiles.ts'
import { createDetector } from '../../../vision/faces/detect.ts'
import { measureMesh } from '../../../vision/faces/mesh.ts'
import { decodeImage } from '../../../vision/image.ts'
import type { FaceView } from '../../../vision/liveness/face-depth.ts'
import { measureFrontEdge } from '../../../vision/liveness/measure-front-edge.ts'
import { measureMovedScene } from '../../../vision/liveness/measure-moved-scene.ts'
import { toGrey, type Raster } from '../../../vision/raster.ts'
import { listSessions, type Sessions } from '../../../vision/sessions.ts'
import type { LabelledData } from '../labelled-data.ts'
import type { Person } from '../liveness/people.ts'
import { computeRate, type CountedRate } from './attack-rates.ts'
import { parsePictureList } from './pictures.ts'
import { createScreenSessions, SCREEN_KINDS, type ScreenKind } from './screen-sessions.ts'

/** Maximum share of living development people that a sign may refuse; the product does not use this sign. */
const REFUSED_OF_LIVING = 0.05
const BLACK_PERCENTILE = 0.01
const BRIGHT_PERCENTILE = 0.9

type Sign = (views: readonly FaceView[]) => number | null

/** Higher is more like a display. */
const SIGNS = {
  'the scene moves': ([first, ...others]) => measureMovedScene(first, others),
  'edge in front': (views) => findMedian(atRest(views).map(measureFrontEdge)),
  'pattern (SCREEN_RECAPTURE)': ([{ picture }]) => measurePattern(picture),
  'bands of a rolling shutter': ([first, second]) => bandsBetween(first.picture, second.picture),
  'raised black': ([{ picture }]) => brightnessAt(picture, BLACK_PERCENTILE),
  'bluish white': ([{ picture }]) => bluishness(picture),
  blur: ([{ picture }]) => -measureSharpness(picture),
  'exposure follows': (views) => exposureRange(views),
} as const satisfies Readonly<Record<string, Sign>>
type SignName = keyof typeof SIGNS
const NAMES = Object.keys(SIGNS) as SignName[]

/** The pictures of `createScreenSessions` in which the head rests. */
const REST = [0, 1, 4, 7]
const atRest = (views: readonly FaceView[]): readonly FaceView[] => views.filter((_, i) => REST.includes(i))

function findMedian(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length > 0 ? median(known) : null
}

function measurePattern(picture: Raster): number | null {
  const { measures } = measureScreenRecapture(picture, {
    quad: null,
    rotationDeg: null,
    portrait: null,
    mrz: null,
  })
  const { lumaPeakDecades: luma, colourPeakDecades: colour } = measures
  return luma === undefined || colour === undefined ? null : luma + colour
}

/** Rows of one picture relative to the same rows of the other, without the slow change down the picture. */
function bandsBetween(a: Raster, b: Raster): number {
  const [first, second] = [rowMeans(a), rowMeans(b)]
  const ratios = first.map((value, y) => Math.log((value + 1) / (second[y] + 1)))
  const mean = ratios.reduce((sum, value) => sum + value, 0) / ratios.length
  let most = 0
  for (let periods = 2; periods <= 24; periods++) {
    let [re, im] = [0, 0]
    for (const [y, value] of ratios.entries()) {
      const angle = (2 * Math.PI * periods * y) / ratios.length
      re += (value - mean) * Math.cos(angle)
      im += (value - mean) * Math.sin(angle)
    }
    most = Math.max(most, (2 * Math.hypot(re, im)) / ratios.length)
  }
  return most
}

function rowMeans({ data, width, height }: Raster): number[] {
  return Array.from({ length: height }, (_, y) => {
    let sum = 0
    for (let i = y * width * 3; i < (y + 1) * width * 3; i++) sum += data[i]
    return sum / (3 * width)
  })
}

function brightnessAt(picture: Raster, share: number): number {
  const sorted = toGrey(picture).data.toSorted()
  return sorted[Math.floor(share * sorted.length)]
}

/** Blue over red of the bright part of the picture. */
function bluishness(picture: Raster): number {
  const least = brightnessAt(picture, BRIGHT_PERCENTILE)
  const { data } = toGrey(picture)
  let [red, blue] = [1, 1]
  for (let i = 0; i < data.length; i++)
    if (data[i] >= least) {
      red += picture.data[i * 3]
      blue += picture.data[i * 3 + 2]
    }
  return blue / red
}

/** Mean step between neighbours relative to the picture's contrast. */
function measureSharpness(picture: Raster): number {
  const { data, width } = toGrey(picture)
  let [steps, sum, squares] = [0, 0, 0]
  for (let i = width; i < data.length; i++) {
    steps += (data[i] - data[i - 1]) ** 2 + (data[i] - data[i - width]) ** 2
    sum += data[i]
    squares += data[i] ** 2
  }
  const count = data.length - width
  const variance = squares / count - (sum / count) ** 2
  return Math.sqrt(steps / count / Math.max(1, variance))
}

function exposureRange(views: readonly FaceView[]): number {
  const levels = atRest(views).map(({ picture }) => Math.log(1 + mean(rowMeans(picture))))
  return Math.max(...levels) - Math.min(...levels)
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

interface Seen {
  readonly kind: ScreenKind
  readonly signs: Readonly<Record<SignName, number | null>>
}

async function observe(
  sessions: Sessions,
  people: readonly Person[],
  { per, seed, progress }: { readonly per: number; readonly seed: number; readonly progress: () => void },
): Promise<Seen[]> {
  const draw = createScreenSessions(sessions, people)
  const seen: Seen[] = []
  for (let turn = 0; turn < per; turn++)
    for (const [index, kind] of SCREEN_KINDS.entries()) {
      const { views } = await draw(kind, turn, seed * 1_000_003 + index * 10_007 + turn * 97)
      progress()
      if (views.length < 2) continue
      const signs = Object.fromEntries(NAMES.map((name) => [name, SIGNS[name](views)]))
      seen.push({ kind, signs: signs as Seen['signs'] })
    }
  return seen
}

type Judge = (signs: Seen['signs']) => 'passed' | 'failed' | 'inconclusive'

/** Judges the product's signs alone and together; each other sign at a limit that the development people set. */
function createJudges(dev: readonly Seen[]): Readonly<Record<string, Judge>> {
  const limits = loadLivenessLimits().screen
  const of = (signs: Seen['signs']): ScreenMeasurement => ({
    sceneMoved: signs['the scene moves'],
    frontEdge: signs['edge in front'],
  })
  const living = dev.filter(({ kind }) => kind.startsWith('live'))
  const others = NAMES.slice(2).map((name): [string, Judge] => {
    const values = living.flatMap(({ signs }) => signs[name] ?? []).sort((a, b) => a - b)
    const limit = values[Math.ceil((1 - REFUSED_OF_LIVING) * values.length) - 1] ?? Infinity
    return [
      name,
      (signs) => (signs[name] === null ? 'inconclusive' : signs[name] > limit ? 'failed' : 'passed'),
    ]
  })
  return {
    'the scene moves': (signs) => judgeScreen({ ...of(signs), frontEdge: null }, limits).outcome,
    'edge in front': ({ 'edge in front': edge }) =>
      edge === null ? 'inconclusive' : edge >= limits.failFromEdge ? 'failed' : 'passed',
    ...Object.fromEntries(others),
    'the product: scene and edge': (signs) => judgeScreen(of(signs), limits).outcome,
  }
}

interface ScreenSettings {
  readonly sessions: Sessions
  readonly dev: readonly Person[]
  readonly test: readonly Person[]
  readonly per: number
  readonly seed: number
  readonly progress: () => void
}

type Counted = Readonly<Record<'passed' | 'failed' | 'inconclusive', CountedRate>>

export async function benchScreens({ sessions, dev, test, per, seed, progress }: ScreenSettings) {
  const judges = createJudges(await observe(sessions, dev, { per, seed, progress }))
  const counted = await observe(sessions, test, { per, seed: seed + 1, progress })
  return Object.fromEntries(
    Object.entries(judges).map(([name, judge]) => [
      name,
      Object.fromEntries(
        SCREEN_KINDS.map((kind): [ScreenKind, Counted] => {
          const outcomes = counted.filter((one) => one.kind === kind).map(({ signs }) => judge(signs))
          const of = (wanted: string) => computeRate(outcomes, (outcome) => outcome === wanted)
          return [kind, { passed: of('passed'), failed: of('failed'), inconclusive: of('inconclusive') }]
        }),
      ),
    ]),
  )
}

/** The signs that work on one still, on pictures of people: refused and not measurable. */
export async function benchStills(sessions: Sessions, { manifest, images }: LabelledData) {
  const limits = loadLivenessLimits().screen
  const [mesher] = listSessions(sessions, 'face-mesh')
  const detect = createDetector(listSessions(sessions, 'face-detector')[0], mesher)
  const edges: { readonly isAttack: boolean; readonly edge: number | null }[] = []
  for (const { file, species } of parsePictureList(await readFile(manifest, 'utf8'))) {
    const { raster } = await decodeImage(await readFile(join(images, file)))
    const [face] = await detect(raster)
    const edge = face
      ? measureFrontEdge({ picture: raster, mesh: await measureMesh(mesher, raster, face) })
      : null
    edges.push({ isAttack: species !== null, edge })
  }
  const measured = (isAttack: boolean) =>
    edges.flatMap((one) => (one.isAttack === isAttack && one.edge !== null ? [one.edge] : []))
  const refused = (isAttack: boolean) =>
    computeRate(measured(isAttack), (edge) => edge >= limits.failFromEdge)
  return {
    bonaFideRefused: refused(false),
    attacksRefused: refused(true),
    notMeasured: computeRate(edges, ({ edge }) => edge === null),
  }
}
