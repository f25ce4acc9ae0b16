/** Options of `npm run bench:liveness` and the sessions that they select. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { COLOUR_SETS } from '../../../proofing/liveness/types.ts'
import { LIVENESS_TYPES, type LivenessType } from '../../../proofing/types.ts'
import { NOISE, type NoiseLevel } from '../../specimen/liveness/camera.ts'
import { defaultModelsDir } from '../../../vision/packs.ts'
import { findLabelledFolder } from '../labelled-data.ts'
import { BENCH_PAI_SPECIES, type BenchPaiSpecies } from './actors.ts'
import type { Plan } from './play.ts'
import type { PlayerSettings } from './player.ts'
import { PEOPLE_SETS, SPECIMENS_ALONE, type PeopleSet } from './people.ts'

export const HELP = `Usage: npm run bench:liveness -- [OPTIONS]

Plays liveness sessions on a real appliance over HTTP: a person drawn from a photograph, or an attack, follows the prompts in
front of a simulated webcam (640 x 480, about 11 pictures a second). The appliance's clock advances with the pictures, so that
the time to compute them does not count; everything else is the product's own.

  --types LIST         of ${LIVENESS_TYPES.join(', ')}
                       (default LIVENESS_PASSIVE_VIDEO,LIVENESS_ACTIVE)
  --species LIST       of ${BENCH_PAI_SPECIES.slice(0, 7).join(', ')},
                       ${BENCH_PAI_SPECIES.slice(7).join(', ')} (default all)
  --per N              sessions per type and species                          (default 20)
  --live N             sessions of live persons per type                      (default as --per)
  --people dev|test|all  whose photographs: those that limits were chosen on, the unseen, or both (default test)
  --images DIR         photographs, one folder for each person                (default ../shared/data/faces)
  --noise low|nominal|high  of the camera                                     (default nominal)
  --fps N              pictures a second                                      (default 11)
  --colours calm|full  what the screen paints (LIVENESS_MLC)                  (default full)
  --packs core|all     models to use: core only, or everything installed      (default all)
  --models-dir DIR     default out/models, or COUNTERPROOF_MODELS
  --seed N             (default 1)
  --processes N        players side by side: about as many as there are cores (default 1)
  --in-process         rules and measurements alone, without HTTP; faster; oldSession and swapped numbers are
                       not tried
  --dump FILE          what was measured of each session, numbers only, one JSON object per line. Sessions that the file has
                       already are not played again: an interrupted bench goes on where it stopped
  --speed              instead: --per sessions of each type in real time on an appliance of its own: time from the last
                       picture to the verdict, guided pictures per second (640 x 480)
  --memory N           instead: N sessions on one vision worker, and how much it grew
  --json               one JSON object on standard output
  --help

bpcer    share of live persons without BIOMETRIC_LIVENESS_CHALLENGE_OK
apcer    share of attacks with it; replay is the worst of replayRecorded (one recording of another session runs, on a display in
         a hand), replayOperator (a recording of each movement, played when it is asked for) and replayStand (the same on a
         display that stands still): replayIs names it
species  counts, Wilson 95 % intervals (as if sessions were independent), variants, reasons of refusal

Example: npm run bench:liveness -- --types LIVENESS_ACTIVE --species live,flat --per 4
`

export interface BenchOptions {
  /** RATES: sessions for error rates. SPEED: sessions in real time. MEMORY: growth of a worker. */
  readonly measures: 'RATES' | 'SPEED' | 'MEMORY'
  readonly settings: PlayerSettings
  readonly types: readonly LivenessType[]
  readonly per: number
  readonly plans: readonly Plan[]
  readonly memorySessions: number
  readonly processes: number
  readonly seed: number
  readonly dump: string | null
  readonly isJson: boolean
}

/** Null for options that cannot be run. */
export function readOptions(argv: string[]): BenchOptions | 'HELP' | null {
  const { values } = parseArgs({
    args: argv,
    options: {
      types: { type: 'string', default: 'LIVENESS_PASSIVE_VIDEO,LIVENESS_ACTIVE' },
      species: { type: 'string', default: BENCH_PAI_SPECIES.join(',') },
      per: { type: 'string', default: '20' },
      live: { type: 'string' },
      people: { type: 'string', default: 'test' },
      images: { type: 'string' },
      noise: { type: 'string', default: 'nominal' },
      fps: { type: 'string', default: '11' },
      colours: { type: 'string', default: 'full' },
      packs: { type: 'string', default: 'all' },
      'models-dir': { type: 'string' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: '1' },
      'in-process': { type: 'boolean', default: false },
      dump: { type: 'string' },
      speed: { type: 'boolean', default: false },
      memory: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'HELP'
  const types = parseList(values.types, LIVENESS_TYPES)
  const species = parseList(values.species, BENCH_PAI_SPECIES)
  const { per, seed, processes, fps, live = per, memory = per } = values
  const numbers = [per, seed, processes, live, memory, fps].map(Number)
  const packs = parseOne(values.packs, ['core', 'all'] as const)
  const people: PeopleSet | null = parseOne(values.people, PEOPLE_SETS)
  const noise = parseOne(values.noise, Object.keys(NOISE) as NoiseLevel[])
  const colourSet = parseOne(values.colours.toUpperCase(), COLOUR_SETS)
  const areCounts = numbers.every((number) => Number.isInteger(number) && number > 0)
  if (!types || !species || !areCounts || !packs || !people || !noise || !colourSet) return null
  const isInProcess = values['in-process']
  const [perSpecies, anySeed] = numbers
  return {
    measures: values.speed ? 'SPEED' : values.memory === undefined ? 'RATES' : 'MEMORY',
    settings: {
      isInProcess,
      packs,
      modelsDir: values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir(),
      facesDir: findLabelledFolder('faces', values.images, SPECIMENS_ALONE),
      people,
      noise,
      picturesPerSecond: numbers[5],
      colourSet,
    },
    types,
    per: perSpecies,
    plans: listPlans({ types, species, per: perSpecies, live: numbers[3], seed: anySeed, isInProcess }),
    memorySessions: numbers[4],
    processes: numbers[2],
    seed: anySeed,
    dump: values.dump ?? null,
    isJson: values.json,
  }
}

function parseOne<T extends string>(value: string, known: readonly T[]): T | null {
  return known.find((name) => name === value) ?? null
}

function parseList<T extends string>(value: string, known: readonly T[]): T[] | null {
  const names = value.split(',')
  const found = known.filter((name) => names.includes(name))
  return found.length === names.length ? found : null
}

/** Goes session by session through all species, so that an interrupted run has covered each. */
export function listPlans(of: {
  readonly types: readonly LivenessType[]
  readonly species: readonly BenchPaiSpecies[]
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
        // An attack with an old session needs the protocol.
        if (isInProcess && species === 'oldSession') continue
        plans.push({ type, species, index, seed })
      }
  return plans
}
