/**
 * `npm run screens -- --journey`: the seconds from "Start" to the receipt, through the product's own pages and a whole appliance,
 * with a scripted person who acts at once: with a good passport, and with one retry of each step.
 */
import type { Browser } from 'playwright-core'
import { confirmData } from '../journey.ts'
import { spansOf, watchTurns, type Span } from './whose-turn.ts'
import { openWorld, type Kiosk, type World } from './world.ts'

/** Goals of a person who does everything at once. */
const GOALS = { wholeS: 60, machineS: 8 }
/** A wait of this length says what is being done; one of that length shows the steps. */
const SAID_AFTER_MS = 1000
const STEPS_AFTER_MS = 4000
/** Beside other work on two cores. */
const PATIENCE_MS = 240_000
const FACE = 'Look at the camera'

interface Journey {
  readonly name: string
  /** The first visit after the start waits for models to be loaded; people do not. */
  readonly isWarmUp?: boolean
  /** What goes wrong once, before it goes right. */
  readonly document?: (kiosk: Kiosk) => Promise<void>
  readonly check?: (kiosk: Kiosk) => Promise<void>
  readonly portrait?: (kiosk: Kiosk) => Promise<void>
}

const JOURNEYS: readonly Journey[] = [
  { name: 'warm-up', isWarmUp: true },
  { name: 'a good passport' },
  {
    name: 'one retry of the document: a blurred photo',
    document: async ({ page, show }) => {
      show('blurred')
      await page.locator('.guidance[data-code=BLUR]').waitFor()
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
  {
    name: 'one retry of the face: too dark',
    portrait: async (kiosk) => {
      await kiosk.stand('alba', { light: 0.15 })
      await kiosk.page.locator('#start-portrait').click()
      await kiosk.page.locator('.guidance[data-code=DARK]').waitFor({ timeout: PATIENCE_MS })
    },
  },
]

export async function measureJourneys(browser: Browser): Promise<boolean> {
  // The phone is asked for only where it is connected.
  const world = await openWorld({ browser, config: { connectors: {} } })
  let isGood = true
  try {
    for (const journey of JOURNEYS) isGood = (await measure(world, journey)) && isGood
  } finally {
    await world.close()
  }
  return isGood
}

async function measure(world: World, journey: Journey): Promise<boolean> {
  const kiosk = await world.openKiosk({ prepare: watchTurns })
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
  await page.locator('#start-portrait').waitFor()
  await journey.portrait?.(kiosk)
  const filmedMs = await film(world, kiosk)
  await page.locator('#result-done').waitFor()
  const spans = (await spansOf(page)).filter(({ step }) => step.startsWith('Step'))
  await kiosk.close()
  if (journey.isWarmUp) return true
  return describe(
    journey.name,
    spans,
    filmedMs,
    journey.document === undefined && journey.portrait === undefined,
  )
}

/** @returns by the appliance's clock, which stands while a face is drawn: a machine that draws slowly makes nobody slow. */
async function film({ elapsedMs }: World, kiosk: Kiosk): Promise<number> {
  await kiosk.stand('alba')
  const beganMs = elapsedMs()
  await kiosk.page.locator('#start-portrait').click()
  await kiosk.page.locator('portrait-capture').waitFor({ state: 'detached' })
  const filmedMs = elapsedMs() - beganMs
  await kiosk.stand('nobody')
  return filmedMs
}

/** A table of the steps, and what falls short of the goals. */
function describe(name: string, spans: readonly Span[], filmedMs: number, isGoal: boolean): boolean {
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
  const whole = [...steps.values()].reduce((sum, { machine, person }) => sum + machine + person, 0)
  const machine = [...steps.values()].reduce((sum, row) => sum + row.machine, 0)
  const faults = spans
    .filter(({ turn }) => turn === 'machine')
    .flatMap(({ step, ms, said, steps: hasSteps }) => [
      ...(ms > SAID_AFTER_MS && said === '' ? [`${step}: ${seconds(ms)} s without a word`] : []),
      ...(ms > STEPS_AFTER_MS && !hasSteps ? [`${step}: ${seconds(ms)} s without steps (“${said}”)`] : []),
    ])
  if (isGoal && whole > GOALS.wholeS * 1000) faults.push(`takes more than ${GOALS.wholeS} s`)
  if (isGoal && machine > GOALS.machineS * 1000)
    faults.push(`the machine takes more than ${GOALS.machineS} s`)
  const rows = [...steps].map(
    ([step, row]) =>
      `  ${step.padEnd(36)}${seconds(row.person)}  ${seconds(row.machine)}  ${seconds(row.longest)}`,
  )
  const lines = [
    `${name}\n  ${'step'.padEnd(36)}person machine longest wait`,
    ...rows,
    `  ${'from "Start" to the receipt'.padEnd(36)}${seconds(whole - machine)}  ${seconds(machine)}  together ${seconds(whole)} s`,
    ...faults.map((fault) => `  short: ${fault}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n\n`)
  return faults.length === 0
}

const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(6)
