/**
 * `npm run bench:liveness`: whole liveness sessions of people and attacks that are drawn, not filmed: how many of the
 * living are turned away (BPCER) and how many attacks pass (APCER). Such figures order methods and find faults; they are no
 * error rates of a kiosk.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { LIVENESS_TYPES, type LivenessType } from '../proofing/types.ts'
import { NOISE, type NoiseLevel } from '../specimen/liveness/camera.ts'
import { defaultModelsDir } from '../vision/packs.ts'
import { BENCH_SPECIES, type BenchSpecies } from './liveness/actors.ts'
import { describeFigures, figuresOf } from './liveness/figures.ts'
import type { Plan, Played } from './liveness/play.ts'
import type { PlayerSettings } from './liveness/player.ts'
import { openPool } from './liveness/pool.ts'
import { PEOPLE_SETS, SPLIT_SEED, type PeopleSet } from './liveness/sitters.ts'

const HELP = `Usage: npm run bench:liveness -- [OPTIONS]

Plays liveness sessions on a real appliance over HTTP: somebody drawn from a photograph, or an attack, follows the
prompts before a pretended webcam (640 x 480, about 11 pictures a second). The appliance runs on a clock that passes with
the pictures, so sessions take as long as they are computed; all else is the product's own.

  --types LIST         of ${LIVENESS_TYPES.join(', ')}
                       (default LIVENESS_PASSIVE_VIDEO,LIVENESS_ACTIVE)
  --species LIST       of ${BENCH_SPECIES.slice(0, 7).join(', ')},
                       ${BENCH_SPECIES.slice(7).join(', ')} (default all)
  --per N              sessions per type and species                          (default 20)
  --live N             sessions of live persons per type                      (default as --per)
  --people dev|test|all  whose photographs: those that limits were chosen on, the unseen, or both (default test)
  --images DIR         photographs, one folder for each person                (default ../shared/data/faces)
  --noise low|nominal|high  of the camera                                     (default nominal)
  --packs core|all     models to use: core only, or everything installed      (default all)
  --models-dir DIR     default out/models, or COUNTERPROOF_MODELS
  --seed N             (default 1)
  --processes N        players side by side: about as many as there are cores (default 1)
  --in-process         rules and measurements alone, without HTTP; three times faster; oldSession and swapped numbers are
                       not tried
  --dump FILE          what was measured of each session, numbers only, one JSON object per line
  --json               one JSON object on standard output
  --help

bpcer    share of live persons that did not get BIOMETRIC_LIVENESS_CHALLENGE_OK
apcer    share of attacks that got it; replay is the worse of replayRecorded (one recording of another session runs) and
         replayOperator (a recording of each movement, played when it is asked for): replayIs names it
species  counts, Wilson 95 % intervals (as if sessions were independent), variants, reasons of refusal
`
const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 20

interface Options {
  readonly settings: PlayerSettings
  readonly plans: readonly Plan[]
  readonly processes: number
  readonly seed: number
  readonly dump: string | undefined
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      types: { type: 'string', default: 'LIVENESS_PASSIVE_VIDEO,LIVENESS_ACTIVE' },
      species: { type: 'string', default: BENCH_SPECIES.join(',') },
      per: { type: 'string', default: '20' },
      live: { type: 'string' },
      people: { type: 'string', default: 'test' },
      images: { type: 'string', default: '../shared/data/faces' },
      noise: { type: 'string', default: 'nominal' },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: '1' },
      'in-process': { type: 'boolean', default: false },
      dump: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const options = readOptions(values)
  if (!options) {
    say(HELP)
    return 2
  }
  const result = await benchLiveness(options)
  say(describeFigures(result.types))
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  return 0
}

type Values = Readonly<Record<string, string | boolean | undefined>>

/** Null for what cannot be run. */
function readOptions(values: Values): Options | null {
  const types = listOf(values.types, LIVENESS_TYPES)
  const species = listOf(values.species, BENCH_SPECIES)
  const [per, seed, processes] = [values.per, values.seed, values.processes].map(Number)
  const live = values.live === undefined ? per : Number(values.live)
  const { packs, people, noise } = values
  const isKnown =
    types &&
    species &&
    [per, seed, processes, live].every((number) => Number.isInteger(number) && number > 0) &&
    (packs === 'core' || packs === 'all') &&
    PEOPLE_SETS.some((set) => set === people) &&
    String(noise) in NOISE
  if (!isKnown) return null
  const images = resolve(String(values.images))
  if (!existsSync(images)) say('skipped: shared data not found; the specimen persons alone are drawn\n')
  const isInProcess = values['in-process'] === true
  const dir = values['models-dir']
  return {
    settings: {
      isInProcess,
      packs,
      modelsDir: typeof dir === 'string' ? resolve(dir) : defaultModelsDir(),
      facesDir: existsSync(images) ? images : null,
      people: people as PeopleSet,
      noise: noise as NoiseLevel,
    },
    plans: plansOf({ types, species, per, live, seed, isInProcess }),
    processes,
    seed,
    dump: typeof values.dump === 'string' ? values.dump : undefined,
  }
}

function listOf<T extends string>(value: string | boolean | undefined, known: readonly T[]): T[] | null {
  const names = String(value).split(',')
  const found = known.filter((name) => names.includes(name))
  return found.length === names.length ? found : null
}

/** Session by session through all species, so that a run that is broken off has seen something of each. */
export function plansOf(of: {
  readonly types: readonly LivenessType[]
  readonly species: readonly BenchSpecies[]
  readonly per: number
  readonly live: number
  readonly seed: number
  readonly isInProcess: boolean
}): Plan[] {
  const { types, per, live, seed, isInProcess } = of
  const plans: Plan[] = []
  for (let index = 0; index < Math.max(per, live); index++)
    for (const type of types)
      for (const species of of.species) {
        if (index >= (species === 'live' ? live : per)) continue
        // Needs the protocol.
        if (isInProcess && species === 'oldSession') continue
        plans.push({ type, species, index, seed })
      }
  return plans
}

/** Everything that was measured, as printed. */
export async function benchLiveness({ settings, plans, processes, seed, dump }: Options) {
  const pool = await openPool(settings, processes)
  const sessions: Played[] = []
  try {
    await pool.playAll(plans, (played) => {
      sessions.push(played)
      if (dump) writeFileSync(dump, `${JSON.stringify(played)}\n`, { flag: 'a' })
      if (sessions.length % PROGRESS_EVERY === 0) say(`${sessions.length}/${plans.length}\n`)
    })
  } finally {
    await pool.close()
  }
  const { isInProcess, packs, people, noise } = settings
  return {
    types: figuresOf(sessions),
    mode: isInProcess ? 'in-process' : 'http',
    packs,
    models: pool.models,
    noise,
    people: { set: people, count: pool.people, splitSeed: SPLIT_SEED },
    seed,
    sessions: sessions.length,
  }
}
