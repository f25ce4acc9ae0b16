/** The simulated parts of bench:pad: subjects, sessions, and the printed counts. */
import type { ColourSet } from '../../../proofing/liveness/types.ts'
import type { Sessions } from '../../../vision/sessions.ts'
import type { LabelledData } from '../labelled-data.ts'
import { loadPeople, SPLIT_SEED, type PeopleSet } from '../liveness/people.ts'
import { rateText } from './attack-rates.ts'
import { COLOUR_PAI_SPECIES } from './colours.ts'
import { playReplay, REPLAYED, simulateOrder, takenOff, type ReplayedSession } from './replays.ts'
import { SCENE_EVENTS } from './scenes.ts'
import { benchScreens, benchStills } from './screen-signs.ts'
import { SCREEN_KINDS } from './screen-sessions.ts'
import { simulateColours, simulateScenes, type Outcomes } from './simulated.ts'

interface DrawnSettings {
  readonly sessions: Sessions
  readonly facesDir: string | null
  readonly set: PeopleSet
  readonly per: number
  readonly seed: number
  readonly colourSet: ColourSet
  /** Leaves out the empty scene. */
  readonly coloursAlone: boolean
}

const say = (text: string): void => void process.stderr.write(text)
const PROGRESS_EVERY = 20
/** More sessions, because order and timing need no pictures. */
const ORDER_TIMES = 20

function counter(all: number): () => void {
  let done = 0
  return () => {
    if (++done % PROGRESS_EVERY === 0) say(`${done}/${all}\n`)
  }
}

async function requirePeople({
  sessions,
  facesDir,
  set,
  seed,
}: Pick<DrawnSettings, 'sessions' | 'facesDir' | 'set' | 'seed'>) {
  const people = await loadPeople(sessions, facesDir, set)
  if (people.length < 2) throw new TypeError('fewer than two people: a mask needs a wearer and another face')
  return { people, note: { set, count: people.length, splitSeed: SPLIT_SEED, seed } }
}

export async function benchSimulated(settings: DrawnSettings) {
  const { people, note } = await requirePeople(settings)
  const { sessions, per, seed, colourSet, coloursAlone } = settings
  const progress = counter(per * ((coloursAlone ? 0 : SCENE_EVENTS.length) + COLOUR_PAI_SPECIES.length))
  const simulation = { sessions, people, per, seed, colourSet, progress }
  const scene = coloursAlone ? {} : await simulateScenes(simulation)
  const colours = await simulateColours(simulation)
  for (const [event, outcomes] of Object.entries(scene))
    say(`scene, ${event}: ${outcomesText(outcomes)}, change ${outcomes.changes.join(' ')}\n`)
  for (const [part, groups] of Object.entries(colours))
    for (const [name, outcomes] of Object.entries(groups))
      say(`colours, ${part} ${name}: ${outcomesText(outcomes)}\n`)
  return { people: note, per, colourSet, scene, colours }
}

function outcomesText({ passed, failed, inconclusive }: Outcomes): string {
  return `passed ${rateText(passed)}, failed ${rateText(failed)}, inconclusive ${rateText(inconclusive)}`
}

/** Goes session by session through all kinds, so that an interrupted run has covered each. */
export async function benchReplays(settings: DrawnSettings) {
  const { people, note } = await requirePeople(settings)
  const { sessions, per, seed } = settings
  const order = simulateOrder(per * ORDER_TIMES, seed)
  for (const [species, byTurns] of Object.entries(order))
    for (const [turns, rate] of Object.entries(byTurns))
      say(`order and timing, ${species}, ${turns} directions: met ${rateText(rate)}\n`)
  const progress = counter(per * REPLAYED.length)
  const played: ReplayedSession[] = []
  for (let turn = 0; turn < per; turn++)
    for (const species of REPLAYED) {
      played.push(await playReplay({ sessions, people, seed }, species, turn))
      progress()
    }
  const methods = takenOff(played)
  for (const [species, rates] of Object.entries(methods))
    for (const [name, rate] of Object.entries(rates))
      say(`${species}, let through by ${name}: ${rateText(rate)}\n`)
  return { people: note, per, order, methods }
}

interface DisplaySettings extends Pick<DrawnSettings, 'sessions' | 'facesDir' | 'per' | 'seed'> {
  readonly stills: { readonly pictures: LabelledData; readonly photographs: LabelledData } | null
}

/** Signs of a display alone and together, and on stills where there are any. */
export async function benchDisplays(settings: DisplaySettings) {
  const { sessions, per, seed, stills } = settings
  const { people: dev } = await requirePeople({ ...settings, set: 'dev' })
  const { people: test, note } = await requirePeople({ ...settings, set: 'test' })
  const progress = counter(2 * per * SCREEN_KINDS.length)
  const signs = await benchScreens({ sessions, dev, test, per, seed, progress })
  for (const [name, kinds] of Object.entries(signs))
    for (const [kind, outcomes] of Object.entries(kinds)) say(`${name}, ${kind}: ${outcomesText(outcomes)}\n`)
  const onStills = stills && {
    pictures: await benchStills(sessions, stills.pictures),
    photographs: await benchStills(sessions, stills.photographs),
  }
  for (const [set, { bonaFideRefused, attacksRefused, notMeasured }] of Object.entries(onStills ?? {}))
    say(
      `edge in front, ${set}: bona fide refused ${rateText(bonaFideRefused)}, attacks ${rateText(attacksRefused)}, ` +
        `no answer ${rateText(notMeasured)}\n`,
    )
  return { people: note, per, signs, stills: onStills }
}
