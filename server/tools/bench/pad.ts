/**
 * Runs `npm run bench:pad`: measures the PAD networks on labelled pictures and on photographs of people, who are all
 * bona fide. Also measures how much the colours, the empty scene, the order and the timing reduce the attacks in
 * drawn sessions. Prints counts, rates and scores per row, but no file name and no person.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COLOUR_SETS } from '../../proofing/liveness/types.ts'
import { readManifest } from '../../vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../vision/packs.ts'
import { openSessions, type Sessions } from '../../vision/sessions.ts'
import { median } from './error-rates.ts'
import { endBench, findLabelledData, findLabelledFolder, type LabelledData } from './labelled-data.ts'
import { PEOPLE_SETS, SPECIMENS_ALONE } from './liveness/people.ts'
import {
  bySource,
  computeRate,
  ratesAt,
  rateText,
  type AttackRates,
  type Presented,
} from './pad/attack-rates.ts'
import { benchDisplays, benchReplays, benchSimulated } from './pad/drawn.ts'
import { MEAN, parsePictureList, scorePictures, type PictureScore } from './pad/pictures.ts'

const HELP = `Usage: npm run bench:pad -- [OPTIONS]

Measures both networks against presentation attacks (extended pack) on labelled pictures and on photographs of people.
APCER is counted by PAI species, pictures without an answer separately (APNRR, BPNRR); intervals are Wilson's, 95 %.
Several frames of one source count once, by the median of their scores.

  --manifest FILE     tab-separated, first line names the columns: file, label (bona-fide or attack), and where they are
                      known species and source (default ../shared/data/pad.tsv, without it as --simulate)
  --images DIR        folder that \`file\` is relative to (default the folder of the manifest's own name)
  --photographs FILE  the same for photographs that are all bona fide: file, person (default ../shared/data/faces.tsv)
  --photographs-dir DIR   (default the folder of their manifest's own name)
  --simulate          instead: the colour challenge and the empty scene on drawn sessions, with the product's limits
  --replay            instead: the share of replays that depth, order and timing, networks, empty scene and colours detect, alone and
                      together, on drawn sessions of LIVENESS_MLC; order and timing by the number of directions asked
  --screens           instead: every sign of a display alone, on drawn sessions of living persons and of displays in a hand and on
                      a stand; the edge before the person on the labelled pictures and the photographs, too
  --colours calm|full with --simulate: the colour challenge alone, with what this screen paints
  --per N             drawn sessions of each kind (default 20)
  --seed N            of what is drawn (default 1)
  --people dev|test|all   whose photographs are drawn (default test)
  --threshold T       score from which a picture is accepted (default 0.75)
  --models-dir DIR    default out/models, or COUNTERPROOF_MODELS
  --json              one JSON object on standard output
  --help

Example: npm run bench:pad -- --simulate --per 5
`
const say = (text: string): void => void process.stderr.write(text)
/** As in resources/thresholds.json. */
const THRESHOLD = 0.75
/** The median of this many photographs of one person stands in for as many frames of a session. */
const FRAMES = [1, 3, 5]
/** Limits below which a session could be refused. */
const REFUSED_BELOW = [0.75, 0.5, 0.3, 0.2, 0.1]

/** Rates by network, and for their mean. */
function ratesBy(threshold: number) {
  return (scores: readonly PictureScore[]): Readonly<Record<string, AttackRates>> => {
    const judges = [...new Set(scores.flatMap(({ scores: said }) => Object.keys(said ?? {})))]
    const presented = (judge: string): Presented[] =>
      scores.map(({ source, species, scores: said }) => ({ source, species, score: said?.[judge] ?? null }))
    return Object.fromEntries(judges.map((judge) => [judge, ratesAt(bySource(presented(judge)), threshold)]))
  }
}

/** The product does not ask the networks if the face has too little surround. */
function asked(scores: readonly PictureScore[]): PictureScore[] {
  return scores.map((one) => (one.hasSurrounding ? one : { ...one, scores: null }))
}

/**
 * BPCER of medians over groups of one person's photographs; taken at other moments, they are more independent than a
 * session's frames.
 */
function photographRates(scores: readonly PictureScore[]) {
  const people = [...Map.groupBy(asked(scores), ({ source }) => source).values()]
  return FRAMES.map((frames) => {
    const medians = people
      .flatMap((all) => splitGroups(all, frames))
      .flatMap((group) => findMedian(group) ?? [])
    return {
      frames,
      refusedBelow: Object.fromEntries(
        REFUSED_BELOW.map((limit) => [limit, computeRate(medians, (score) => score < limit)]),
      ),
    }
  })
}

function findMedian(group: readonly PictureScore[]): number | null {
  return median(group.flatMap(({ scores }) => scores?.[MEAN] ?? []))
}

function splitGroups<T>(all: readonly T[], size: number): T[][] {
  const whole = Math.floor(all.length / size)
  return Array.from({ length: whole }, (_, i) => all.slice(i * size, (i + 1) * size))
}

interface Sources {
  readonly pictures: LabelledData
  readonly photographs: LabelledData
}

/** Null without labelled data; only real pictures are given to the networks. */
function findSources(named: {
  readonly manifest?: string
  readonly images?: string
  readonly photographs?: string
  readonly 'photographs-dir'?: string
}): Sources | null {
  const instead = 'the colour challenge and the empty scene are measured on drawn sessions'
  const pictures = findLabelledData('pad', named, instead)
  if (pictures === null) return null
  const { photographs: manifest, 'photographs-dir': images } = named
  const photographs = findLabelledData('faces', { manifest, images }, instead)
  return photographs && { pictures, photographs }
}

async function benchPad(sessions: Sessions, sources: Sources, threshold: number) {
  const score = async ({ manifest, images }: LabelledData) =>
    scorePictures(sessions, parsePictureList(await readFile(manifest, 'utf8')), images)
  const pictures = await score(sources.pictures)
  const photographs = await score(sources.photographs)
  const rates = ratesBy(threshold)
  return {
    models: sessions.models
      .filter(({ role }) => role === 'presentation-attack')
      .map(({ id, version, sha256 }) => ({ id, version, sha256 })),
    threshold,
    pictures: pictures.length,
    product: rates(asked(pictures)),
    withoutContextRule: rates(pictures),
    photographs: {
      people: new Set(photographs.map(({ source }) => source)).size,
      pictures: photographs.length,
      bpnrr: computeRate(asked(photographs), ({ scores }) => scores === null),
      byFrames: photographRates(photographs),
    },
    scores: pictures.map(({ row, species, scores, faceShare, hasSurrounding }) => ({
      row,
      label: species ?? 'bona-fide',
      ...Object.fromEntries(Object.entries(scores ?? {}).map(([judge, score]) => [judge, round(score)])),
      faceShare: faceShare === null ? null : round(faceShare),
      hasSurrounding,
    })),
  }
}

const round = (value: number): number => Math.round(value * 1000) / 1000

function print({
  threshold,
  product,
  withoutContextRule,
  photographs,
}: Awaited<ReturnType<typeof benchPad>>): void {
  for (const [name, by] of Object.entries({ product, 'without the context rule': withoutContextRule }))
    for (const [judge, { apcer, bpcer, apnrr, bpnrr }] of Object.entries(by)) {
      const attacks = Object.entries(apcer).map(([species, rate]) => `APCER ${species} ${rateText(rate)}`)
      const rates = [...attacks, `BPCER ${rateText(bpcer)}`, `no answer: attacks ${rateText(apnrr)}`]
      say(`${name}, ${judge} at ${threshold}: ${rates.join(', ')}, bona fide ${rateText(bpnrr)}\n`)
    }
  say(`photographs: ${photographs.people} people, no answer ${rateText(photographs.bpnrr)}\n`)
  for (const { frames, refusedBelow } of photographs.byFrames) {
    const rates = Object.entries(refusedBelow).map(([limit, rate]) => `< ${limit}: ${rateText(rate)}`)
    say(`BPCER, median of ${frames}: ${rates.join(', ')}\n`)
  }
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      manifest: { type: 'string' },
      images: { type: 'string' },
      photographs: { type: 'string' },
      'photographs-dir': { type: 'string' },
      simulate: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      screens: { type: 'boolean', default: false },
      colours: { type: 'string' },
      per: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      people: { type: 'string', default: 'test' },
      threshold: { type: 'string', default: String(THRESHOLD) },
      'models-dir': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [threshold, per, seed] = [values.threshold, values.per, values.seed].map(Number)
  const set = PEOPLE_SETS.find((name) => name === values.people)
  const isWhole = (number: number) => Number.isInteger(number) && number > 0
  const colourSet = COLOUR_SETS.find((name) => name === (values.colours ?? 'full').toUpperCase())
  const isKnown =
    set !== undefined &&
    colourSet !== undefined &&
    threshold >= 0 &&
    threshold <= 1 &&
    isWhole(per) &&
    isWhole(seed)
  if (values.help || !isKnown) {
    process.stdout.write(HELP)
    return values.help ? 0 : 2
  }
  const manifest = readManifest()
  const modelsDir = values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir()
  await buildCorePack(manifest, modelsDir)
  const sessions = await openSessions(manifest, modelsDir, ['core', 'extended'])
  if (values.screens) {
    const facesDir = findLabelledFolder('faces', values['photographs-dir'], SPECIMENS_ALONE)
    const drawn = await benchDisplays({ sessions, facesDir, per, seed, stills: findSources(values) })
    if (values.json) process.stdout.write(`${JSON.stringify(drawn)}\n`)
    return endBench(drawn.per)
  }
  const hasNetworks = sessions.models.some(({ role }) => role === 'presentation-attack')
  const sources = values.simulate || values.replay ? null : findSources(values)
  if (!hasNetworks && (values.replay || sources !== null)) {
    say('the extended pack is not installed (npm run models -- download)\n')
    return endBench(0)
  }
  if (sources === null) {
    const facesDir = findLabelledFolder('faces', values['photographs-dir'], SPECIMENS_ALONE)
    const coloursAlone = values.colours !== undefined
    const settings = { sessions, facesDir, set, per, seed, colourSet, coloursAlone }
    const drawn = await (values.replay ? benchReplays : benchSimulated)(settings)
    if (values.json) process.stdout.write(`${JSON.stringify(drawn)}\n`)
    return endBench(drawn.per)
  }
  const result = await benchPad(sessions, sources, threshold)
  print(result)
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  return endBench(result.scores.length + result.photographs.pictures)
}
