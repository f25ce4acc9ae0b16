/**
 * `npm run screens -- --journey`: the seconds from "Start" to the receipt, through the product's own pages and a whole appliance,
 * with a scripted person who acts at once: with a good passport, and with one retry of each step.
 */
import type { Browser } from 'playwright-core'
import { confirmData } from '../journey.ts'
import type { Look } from './specimen-pictures.ts'
import { spansOf, watchTurns, type Span } from './whose-turn.ts'
import { openWorld, type Kiosk, type World } from './world.ts'

/** Goals of a person who does everything at once. */
const GOALS = { wholeS: 60, machineS: 8 }
/** A wait of this length says what is being done; one of that length shows the steps. */
const SAID_AFTER_MS = 1000
const STEPS_AFTER_MS = 4000
/** For a machine with two cores and other load. */
const PATIENCE_MS = 240_000
const FACE = 'Look at the camera'

interface Journey {
  readonly name: string
  /** The first visit after the start waits for models to be loaded; people do not. */
  readonly isWarmUp?: boolean
  /** Failures before the success. */
  readonly document?: (kiosk: Kiosk) => Promise<void>
  readonly check?: (kiosk: Kiosk) => Promise<void>
  readonly isFaceDarkOnce?: boolean
}

const JOURNEYS: readonly Journey[] = [
  { name: 'warm-up', isWarmUp: true },
  { name: 'a good passport' },
  {
    name: 'one retry of the document: a blurred photo',
    document: async ({ page, show }) => {
      show('blurred')
      await page.locator('.guidance[data-code=BLUR]').waitFor()
      await page.locator('#take-photo').click()
      await page.locator('.capture-help .picture').waitFor()
    },
  },
  {
    name: 'one retry of the data: another photo is asked for',
    check: async ({ page, show }) => {
      await page.locator('#check-wrong').click()
      show('nothing')
      await page.locator('.screen-pick .calls').click()
      await page.locator('document-capture').waitFor()
      show('passport')
    },
  },
  { name: 'one retry of the face: too dark until the time is up', isFaceDarkOnce: true },
]

/** Prints a table of each journey, then all of them in one. A journey that is blocked takes no other with it. */
export async function measureJourneys(browser: Browser): Promise<boolean> {
  // The phone is asked for only where it is connected.
  const world = await openWorld({ browser, config: { connectors: {} } })
  const summary: string[] = []
  let isGood = true
  try {
    for (const journey of JOURNEYS) {
      const kiosk = await world.openKiosk({ prepare: watchTurns })
      try {
        const filmedMs = await walk(world, kiosk, journey)
        if (journey.isWarmUp) continue
        const told = describe(journey, await spansOf(kiosk.page), filmedMs)
        summary.push(told.row)
        isGood &&= told.isGood
      } catch (error) {
        isGood = false
        summary.push(tableRow(journey.name, `blocked: ${(error as Error).message.split('\n')[0]}`))
      } finally {
        await kiosk.close()
      }
    }
  } finally {
    await world.close()
  }
  const head = ['person', 'machine', 'together', 'longest wait']
  const lines = [
    tableRow('seconds from "Start" to the receipt', ...head),
    tableRow('---', ...head.map(() => '---')),
  ]
  process.stdout.write(`${[...lines, ...summary].join('\n')}\n`)
  return isGood
}

/** @returns how long the person was before the face camera, by the appliance's clock. */
async function walk(world: World, kiosk: Kiosk, journey: Journey): Promise<number> {
  const { page } = kiosk
  page.setDefaultTimeout(PATIENCE_MS)
  await page.locator('.choices button[lang=en]').click()
  await page.locator('#consent-agree').click()
  await page.locator('document-capture').waitFor()
  await journey.document?.(kiosk)
  kiosk.show('passport')
  await page.locator('#check-right').waitFor({ state: 'attached' })
  if (journey.check) {
    await journey.check(kiosk)
    await page.locator('#check-right').waitFor({ state: 'attached' })
  }
  await confirmData(page)
  const darkMs = journey.isFaceDarkOnce ? await film(world, kiosk, { light: 0.15 }) : 0
  const filmedMs = await film(world, kiosk)
  await page.locator('#result-done').waitFor()
  return darkMs + filmedMs
}

/**
 * @returns the appliance's time, which stands still while a face is drawn, so that a slow machine does not
 * make the actor slow.
 */
async function film({ elapsedMs }: World, kiosk: Kiosk, look: Look = {}): Promise<number> {
  const { page } = kiosk
  const camera = page.locator('portrait-capture')
  await page.locator('#start-portrait').waitFor()
  await kiosk.stand('alba', look)
  const beganMs = elapsedMs()
  await page.locator('#start-portrait').click()
  await camera.waitFor()
  await camera.waitFor({ state: 'detached' })
  const filmedMs = elapsedMs() - beganMs
  await kiosk.stand('no-person')
  return filmedMs
}

/** Prints a table of the steps, and what falls short of the goals. */
function describe(
  journey: Journey,
  all: readonly Span[],
  filmedMs: number,
): { readonly row: string; readonly isGood: boolean } {
  const spans = all.filter(({ step }) => step.startsWith('Step'))
  const steps = new Map<string, { machine: number; person: number; longest: number }>()
  for (const { step, turn, ms } of spans) {
    const row = steps.get(step) ?? { machine: 0, person: 0, longest: 0 }
    row[turn] += ms
    if (turn === 'machine') row.longest = Math.max(row.longest, ms)
    steps.set(step, row)
  }
  const face = [...steps].find(([step]) => step.includes(FACE))
  // Drawn slower than a camera delivers: the appliance's clock counts.
  if (face) face[1].person = filmedMs
  const rows = [...steps.values()]
  const person = rows.reduce((sum, row) => sum + row.person, 0)
  const machine = rows.reduce((sum, row) => sum + row.machine, 0)
  const longest = Math.max(...rows.map((row) => row.longest))
  const faults = spans
    .filter(({ turn }) => turn === 'machine')
    .flatMap(({ step, ms, said, steps: hasSteps }) => [
      ...(ms > SAID_AFTER_MS && said === '' ? [`${step}: ${seconds(ms)} s without a word`] : []),
      ...(ms > STEPS_AFTER_MS && !hasSteps ? [`${step}: ${seconds(ms)} s without steps (“${said}”)`] : []),
    ])
  const isGoal = !journey.document && !journey.check && !journey.isFaceDarkOnce
  if (isGoal && person + machine > GOALS.wholeS * 1000) faults.push(`takes more than ${GOALS.wholeS} s`)
  if (isGoal && machine > GOALS.machineS * 1000)
    faults.push(`the machine takes more than ${GOALS.machineS} s`)
  const lines = [
    tableRow(journey.name, 'person', 'machine', 'longest wait'),
    ...[...steps].map(([step, row]) => tableRow(step, row.person, row.machine, row.longest)),
    ...faults.map((fault) => `short: ${fault}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n\n`)
  return {
    row: tableRow(journey.name, person, machine, person + machine, longest),
    isGood: faults.length === 0,
  }
}

const tableRow = (name: string, ...cells: readonly (string | number)[]): string =>
  `| ${[name.padEnd(52), ...cells.map((cell) => (typeof cell === 'number' ? seconds(cell) : cell))].join(' | ')} |`
const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(6)
