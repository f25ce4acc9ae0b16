/**
 * Runs `npm run bench:liveness`: plays whole liveness sessions of people and attacks that are drawn, not filmed.
 * Measures how many live people are refused (BPCER) and how many attacks pass (APCER). The figures compare methods
 * and find faults; they are not the error rates of a kiosk.
 */
import { PACKS } from '../../vision/manifest.ts'
import { endBench } from './labelled-data.ts'
import { cast } from './liveness/actors.ts'
import { describeFigures, computeFigures } from './liveness/figures.ts'
import { measureMemory } from './liveness/memory.ts'
import { HELP, readOptions, type BenchOptions } from './liveness/options.ts'
import type { Played } from './liveness/play.ts'
import { isSamePlan, openPlayedSessions } from './liveness/played-sessions.ts'
import { loadStage } from './liveness/player.ts'
import { openPool } from './liveness/pool.ts'
import { SPLIT_SEED } from './liveness/people.ts'
import { measureSpeed } from './liveness/speed.ts'

const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 20
const FIGURES_EVERY = 200

export async function run(argv: string[]): Promise<number> {
  const options = readOptions(argv)
  if (options === 'HELP') {
    process.stdout.write(HELP)
    return 0
  }
  if (!options) {
    say(HELP)
    return 2
  }
  const result = await MEASURES[options.measures](options)
  if (options.isJson) process.stdout.write(`${JSON.stringify(result)}\n`)
  return endBench(result.sessions)
}

const MEASURES = { RATES: benchLiveness, SPEED: benchSpeed, MEMORY: benchMemory } as const

/** Returns all measurements, as printed. */
async function benchLiveness({ settings, plans, processes, seed, dump }: BenchOptions) {
  const { isInProcess, packs, people, noise, colourSet, picturesPerSecond } = settings
  const file = dump
    ? openPlayedSessions(dump, { isInProcess, packs, people, noise, colourSet, picturesPerSecond })
    : null
  const sessions: Played[] = plans.flatMap((plan) => file?.earlier.find((one) => isSamePlan(one, plan)) ?? [])
  const left = plans.filter((plan) => !sessions.some((one) => isSamePlan(one, plan)))
  if (sessions.length > 0) say(`${sessions.length}/${plans.length} from ${dump}\n`)
  const pool = await openPool(settings, processes)
  const startedAt = performance.now()
  const before = sessions.length
  try {
    await pool.playAll(left, (played) => {
      sessions.push(played)
      file?.add(played)
      const { length } = sessions
      if (length % PROGRESS_EVERY === 0) {
        const seconds = (performance.now() - startedAt) / 1000 / (length - before)
        say(`${length}/${plans.length}, ${Math.ceil((seconds * (plans.length - length)) / 60)} min left\n`)
      }
      if (length % FIGURES_EVERY === 0) say(describeFigures(computeFigures(sessions)))
    })
  } finally {
    await pool.close()
  }
  const types = computeFigures(sessions)
  say(describeFigures(types))
  return {
    types,
    mode: isInProcess ? 'in-process' : 'http',
    packs,
    models: pool.models,
    noise,
    colourSet,
    picturesPerSecond,
    people: { set: people, count: pool.people, splitSeed: SPLIT_SEED },
    seed,
    sessions: sessions.length,
  }
}

async function benchSpeed({ settings, types, per, seed }: BenchOptions) {
  const { packs, modelsDir, noise } = settings
  const { people, rooms } = await loadStage(settings)
  const figures = []
  for (const type of types) {
    const measured = await measureSpeed({
      type,
      sessions: per,
      packs,
      modelsDir,
      cast: (index, random) => {
        const [person, other] = [people[index % people.length], people[(index + 1) % people.length]]
        return cast(
          'live',
          { type, person, other, room: rooms.plain[index % rooms.plain.length], noise, turn: 0 },
          random,
        )
      },
    })
    figures.push(measured)
    const { guidanceMs, framesPerSecond, verdictMs, sessions, processorMs } = measured
    say(
      `${type}: ${sessions} sessions; guidance after ${guidanceMs?.median} ms (95 %: ${guidanceMs?.p95}), ` +
        `${framesPerSecond} pictures/s; verdict ${verdictMs?.median} ms after the last picture (95 %: ${verdictMs?.p95}); processor time ` +
        `${processorMs?.perPicture} ms a picture, ${processorMs?.verdict?.median} ms for the verdict\n`,
    )
  }
  const sessions = figures.reduce((sum, figure) => sum + figure.sessions, 0)
  return { speed: figures, sessions, packs, seed }
}

async function benchMemory({ settings, memorySessions, seed }: BenchOptions) {
  const { modelsDir, facesDir, packs } = settings
  const used = packs === 'core' ? (['core'] as const) : PACKS
  const figures = await measureMemory(memorySessions, { modelsDir, facesDir, packs: used, seed })
  say(`${figures.sessions} sessions: grown by ${((figures.growthBytes ?? 0) / 1e6).toFixed(1)} MB\n`)
  return { memory: figures, sessions: figures.sessions, packs, seed }
}
