/**
 * `npm run bench:authenticity`: measures for each authenticity signal how often it doubts a genuine document and how
 * often it misses a forgery, species by species. Every picture goes through the vision worker as in the product.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { unrepairedOutcome } from '../../proofing/authenticity.ts'
import { NOT_RENDERED, DOCUMENT_PAI_SPECIES } from '../specimen/forgeries/species.ts'
import {
  AUTHENTICITY_FILE,
  loadAuthenticityLimits,
  type AuthenticityLimits,
} from '../../verification/authenticity-limits.ts'
import { unrepairedReading } from '../../verification/unrepaired-reading.ts'
import { startVision } from '../../vision/client.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import {
  AUTHENTICITY_SIGNALS,
  type AuthenticitySignal,
  type AuthenticitySignalName,
  type Vision,
} from '../../vision/protocol.ts'
import { describe, type AuthenticityBench } from './authenticity/describe.ts'
import {
  forgeries,
  genuineSamples,
  genuineScenes,
  photographs,
  SET_ASIDE,
  type Sample,
} from './authenticity/pictures.ts'
import { countRates } from './authenticity/rates.ts'
import { endBench, findLabelledData } from './labelled-data.ts'

/** The thresholds were set on pictures of these seeds and on the photographs; measurements use other seeds. */
const SETTING_SEEDS = '1001-1120'
const DEFAULT_SEED = 7001

const HELP = `bench-authenticity: false alarms and misses of the authenticity signals

  --seed S          first seed of the rendered pictures (default ${DEFAULT_SEED}; thresholds were set on ${SETTING_SEEDS})
  --pictures N      pictures per kind of forgery (default 4); three times as many genuine pages
  --scenes N        genuine documents of every kind with an MRZ, tilted and lit as in telephone pictures (default 4 N)
  --genuine         draws no forgeries
  --only TEXT       only kinds of forgery whose name contains TEXT
  --manifest FILE   photographs of real specimens (default ../shared/data/mrz.tsv; none if it is missing)
  --images DIR      folder of the photographs     (default: the folder with the manifest's name)
  --write           writes the rates into resources/authenticity.json
  --json            one JSON object at the end
  --verbose         one line per picture on stderr (names and scores, no readings)
  --help            this text

false alarms: genuine pictures that raise the signal, of those on which it was measured, with Wilson's 95 % interval;
of all of them, and of the scenes alone.
misses: forgeries that do not raise it; one that could not be measured counts as missed. The worst kind of forgery is the value
of the signal. Out of reach: kinds for which there is no signal. Thresholds and excluded pictures are printed with their reasons.

Example: npm run bench:authenticity -- --pictures 2 --json
`

interface Measured extends Pick<Sample, 'name' | 'species' | 'source'> {
  readonly signals: readonly AuthenticitySignal[]
  /** Result of the check digits of the unrepaired reading; null if they were not read or are not to be judged. */
  readonly unrepaired: 'passed' | 'failed' | 'inconclusive' | null
  readonly ms: number
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      seed: { type: 'string', default: String(DEFAULT_SEED) },
      pictures: { type: 'string', default: '4' },
      scenes: { type: 'string' },
      genuine: { type: 'boolean', default: false },
      only: { type: 'string' },
      manifest: { type: 'string' },
      images: { type: 'string' },
      write: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [seed, pictures] = [Number(values.seed), Number(values.pictures)]
  const scenes = Number(values.scenes ?? 4 * pictures)
  if (![seed, pictures, scenes].every(Number.isInteger) || pictures < 1 || scenes < 0) {
    process.stderr.write('--seed, --pictures and --scenes take whole numbers\n')
    return 2
  }
  const found = findLabelledData('mrz', values, 'rendered documents alone are measured')
  const samples = [
    ...genuineSamples(seed, 3 * pictures),
    ...genuineScenes(seed, scenes),
    ...(found ? photographs(found.manifest, found.images) : []),
    ...(values.genuine ? [] : forgeries(seed, pictures, values.only)),
  ]
  for (const { name, font } of values.genuine ? [] : NOT_RENDERED)
    process.stderr.write(`left out: ${name}, because the font ${font} is not installed on this machine\n`)
  const limits = loadAuthenticityLimits()
  const measured = await measureAll(samples, limits, (line) => {
    if (values.verbose) process.stderr.write(`${line}\n`)
  })
  const result = summarise(measured, limits, `${seed}-${seed + 3 * pictures - 1}`)
  if (values.write) keep(result)
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(measured.length)
}

async function measureAll(
  samples: readonly Sample[],
  limits: AuthenticityLimits,
  tell: (line: string) => void,
): Promise<Measured[]> {
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const measured: Measured[] = []
  try {
    for (const sample of samples) {
      const one = await measureOne(vision, sample, limits)
      measured.push(one)
      tell(
        [
          sample.name.padEnd(44),
          ...one.signals.map(({ score }) => score?.toFixed(2) ?? 'null'),
          one.ms.toFixed(0),
        ].join(' '),
      )
    }
  } finally {
    await vision.close()
  }
  return measured
}

async function measureOne(vision: Vision, sample: Sample, limits: AuthenticityLimits): Promise<Measured> {
  const image = await sample.picture()
  const { outline, rotationDeg, portrait, mrz } = await vision.measureDocument({ image })
  const { signals, elapsedMs } = await vision.measureAuthenticity({
    image,
    quad: outline?.quad ?? null,
    rotationDeg,
    portrait: portrait?.box ?? null,
    mrz: mrz && { band: mrz.band, lines: mrz.lines, format: mrz.format },
  })
  const judged = sample.species === 'genuine' && sample.checkDigitsValid === true && mrz !== null
  return {
    name: sample.name,
    species: sample.species,
    source: sample.source,
    signals,
    unrepaired: judged ? unrepairedOutcome(unrepairedReading(mrz), limits.sureCharacter) : null,
    ms: elapsedMs,
  }
}

const findScore = ({ signals }: Measured, name: AuthenticitySignalName) =>
  signals.find(({ signal }) => signal === name)?.score ?? null

function summarise(
  measured: readonly Measured[],
  limits: AuthenticityLimits,
  seeds: string,
): AuthenticityBench {
  const genuine = measured.filter(({ species }) => species === 'genuine')
  const present = new Set(measured.map(({ species }) => species))
  const listSpecies = (name: AuthenticitySignalName, outOfReach: boolean) =>
    DOCUMENT_PAI_SPECIES.filter(
      (s) => s.signal === name && (s.outOfReach ?? false) === outOfReach && present.has(s.name),
    ).map((s) => s.name)
  const rates = (name: AuthenticitySignalName, outOfReach: boolean) =>
    countRates(
      measured.map((one) => ({ species: one.species, score: findScore(one, name) })),
      limits.thresholds[name],
      listSpecies(name, outOfReach),
    )
  const onScenes = (name: AuthenticitySignalName) =>
    countRates(
      genuine
        .filter(({ source }) => source === 'scenes')
        .map((one) => ({ species: 'genuine', score: findScore(one, name) })),
      limits.thresholds[name],
      [],
    ).falseAlarms
  const raisedBy = (one: Measured) =>
    AUTHENTICITY_SIGNALS.filter((name) => (findScore(one, name) ?? 0) >= limits.thresholds[name])
  const groupsRaised = (one: Measured) =>
    new Set(raisedBy(one).map((name) => limits.combination.groupOf[name])).size
  const together = countRates(
    genuine.map((one) => ({ species: 'genuine', score: groupsRaised(one) })),
    limits.combination.leastFailed,
    [],
  ).falseAlarms
  const times = measured.map(({ ms }) => ms).sort((a, b) => a - b)
  const judged = genuine.filter(({ unrepaired }) => unrepaired !== null)
  return {
    settingSeeds: SETTING_SEEDS,
    measuringSeeds: seeds,
    genuine: {
      rendered: genuine.filter(({ source }) => source === 'rendered').length,
      scenes: genuine.filter(({ source }) => source === 'scenes').length,
      specimens: genuine.filter(({ source }) => source === 'specimens').length,
      photographs: genuine.filter(({ source }) => source === 'photographs').length,
    },
    signals: Object.fromEntries(
      AUTHENTICITY_SIGNALS.map((name) => [
        name,
        {
          threshold: limits.thresholds[name],
          ...rates(name, false),
          falseAlarmsOnScenes: onScenes(name),
        },
      ]),
    ) as AuthenticityBench['signals'],
    outOfReach: AUTHENTICITY_SIGNALS.flatMap((name) => rates(name, true).misses),
    together,
    unrepairedCheckDigits: {
      falseAlarms: judged.filter(({ unrepaired }) => unrepaired === 'failed').length,
      judged: judged.length,
    },
    falseAlarmsOn: Object.fromEntries(
      AUTHENTICITY_SIGNALS.map((name) => [
        name,
        genuine.filter((one) => raisedBy(one).includes(name)).map((one) => one.name),
      ]),
    ),
    setAside: measured
      .filter(({ species }) => species === 'set-aside')
      .map((one) => ({ file: one.name, because: SET_ASIDE[one.name], raised: raisedBy(one) })),
    msMedian: Math.round(times[times.length >> 1] ?? 0),
  }
}

/** Writes the rates beside their thresholds. */
function keep(result: AuthenticityBench): void {
  const file = JSON.parse(readFileSync(AUTHENTICITY_FILE, 'utf8')) as { measured: object }
  const { rendered, scenes, specimens, photographs: real } = result.genuine
  const source =
    `npm run bench:authenticity, seeds ${result.measuringSeeds}: ${rendered} rendered pages, ${scenes} rendered ` +
    `scenes of every document with a zone, ${specimens} rendered photographs and ${real} pictures of real specimens; forgeries rendered by server/tools/specimen/forgeries`
  const entries = AUTHENTICITY_SIGNALS.flatMap((name) => {
    const { falseAlarms, falseAlarmsOnScenes, worst, nullShare } = result.signals[name]
    return worst
      ? [[name, { falseAlarms, falseAlarmsOnScenes, misses: worst, nullShare, source }] as const]
      : []
  })
  file.measured = Object.fromEntries(entries)
  writeFileSync(AUTHENTICITY_FILE, `${JSON.stringify(file, null, 2)}\n`)
}
