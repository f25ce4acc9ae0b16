/**
 * Nothing of a person stays: a name, a number and pictures that nothing else in a run contains go through a visit; after it was
 * finished, stopped or left, they are looked for wherever a browser and a server could keep them. Each place is first shown to
 * be looked at properly: a trace that was laid there is found.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { BrowserContext, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { confirmData } from './journey.ts'
import { aPassport } from '../server/app/scripted-vision.ts'
import { findIn, formsOf, formsOfBytes, type Wanted } from '../support/byte-scan.ts'
import {
  DOES,
  HOLDS_THE_END,
  KIOSK_SCREEN,
  STEPS,
  arriveAt,
  begin,
  startKioskStage,
  typeCode,
  type KioskStage,
  type StepName,
} from './kiosk-stage.ts'
import { CHROMIUM, LIGHT_ARGS, NEXT_MS, SANDBOX_ARGS, cameraArgs } from '../support/chromium.ts'

vi.mock('node:child_process', async (original) =>
  (await import('../support/seeing-fork.ts')).withSeeingWorker(await original()),
)

const VISIT_MS = 400_000
/**
 * Long, because on a busy machine the test must not look like an applicant who has left. The test advances
 * the page's clock to simulate that.
 */
const IDLE = { reading: 300, warning: 30 }
// Put together, so that no copy of this very file is taken for a trace.
const SURNAME = ['ZYXW', 'CANARY'].join('')
const NUMBER = ['QZ73', '51908'].join('')
const BIRTH = '310227'
const PHONE = /6399801\d\d/
/** A picture of the camera takes more; what a page holds by itself does not. */
const LARGE_BYTES = 10_000
const CLIP_FRAMES = 900
const TEMPORARY = [tmpdir(), '/dev/shm']
/** Names of temporary files and folders of the browser, of its driver and of the pictures' library. */
const OF_THE_BROWSER = /^\.?(com\.google|org\.chromium|playwright|sharp|vips)/i

const TEXTS: Readonly<Record<string, string>> = { name: SURNAME, number: NUMBER }

/** The traces that `layTraces` and the test create. */
const TRACES = [
  'address: name',
  'attributes: name',
  'blobs: 1',
  'cached: name',
  'clipboard: name',
  'cookies: name',
  'database: name',
  'dom: name',
  'downloads/trace.txt: name',
  'fields: name',
  'history state: name',
  'large buffers: 1',
  'localStorage: name',
  'media streams: 1',
  'memory: name',
  'sessionStorage: name',
  'shadow: name',
  'title: name',
  'window name: name',
]

const present = existsSync(CHROMIUM)
if (!present) process.stderr.write('skipped: chromium not found\n')

describe.skipIf(!present)('of a person at the kiosk', () => {
  let stage: KioskStage
  let folder: string
  let profile: string
  let downloads: string
  let context: BrowserContext
  let page: Page
  let heard: string[] = []
  /** There before this test. */
  let before: ReadonlySet<string> = new Set()

  const piecesFile = () => join(folder, 'pieces.txt')
  beforeAll(async () => {
    before = new Set(TEMPORARY.flatMap((place) => (existsSync(place) ? readdirSync(place) : [])))
    folder = mkdtempSync(join(tmpdir(), 'kiosk-residue-'))
    profile = join(folder, 'profile')
    downloads = join(folder, 'downloads')
    mkdirSync(downloads)
    stage = await startKioskStage({
      document: aPassport({ surname: SURNAME, documentNumber: NUMBER, birthDate: BIRTH }),
      idle: IDLE,
      piecesFile: join(folder, 'pieces.txt'),
    })
    const clip = join(folder, 'camera.mjpeg')
    writeFileSync(clip, await pictures())
    context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      viewport: KIOSK_SCREEN,
      reducedMotion: 'reduce',
      downloadsPath: downloads,
      args: [...cameraArgs(clip), ...LIGHT_ARGS, ...SANDBOX_ARGS],
    })
    context.setDefaultTimeout(NEXT_MS)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await stage.watch(context)
    page = context.pages()[0] ?? (await context.newPage())
    page.on('console', (message) => heard.push(message.text()))
  }, VISIT_MS)
  afterAll(async () => {
    await context?.close()
    await stage?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'nothing is left after a visit that was finished',
    async () => {
      await walkTo('result')
      expect(await residue()).not.toEqual([])
      await DOES.result(page, stage)
      await expectNothingLeft()
    },
    VISIT_MS,
  )

  test(
    'nothing is left after one that was stopped, on the server neither',
    async () => {
      await walkTo('portrait')
      const identityId = identityNow()
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await page.getByRole('button', { name: 'Stop and delete' }).click()
      await page.getByRole('heading', { name: 'You stopped' }).waitFor()
      await expectNothingLeft()
      await expectErased(identityId)
    },
    VISIT_MS,
  )

  test(
    'nothing is left after the applicant walked away with the covered data shown and half a number typed',
    async () => {
      await page.clock.install()
      await walkTo('check')
      const identityId = identityNow()
      await page.getByRole('button', { name: 'Show what is covered' }).click()
      await confirmData(page)
      await arriveAt(page, 'phone')
      await page.locator('#phone-typed').fill('639980199')
      const asked = page.getByRole('heading', { name: 'Do you need more time?' })
      await page.clock.fastForward(IDLE.reading * 1000)
      await asked.waitFor()
      await page.clock.fastForward(IDLE.warning * 1000)
      await asked.waitFor({ state: 'detached' })
      await expectNothingLeft()
      await expectErased(identityId)
    },
    VISIT_MS,
  )

  // The last one: what it lays stays in files of the browser that were deleted.
  test(
    'a trace in any of the places is found',
    async () => {
      await page.goto(stage.app.url)
      await page.getByRole('button', { name: 'Start in English' }).waitFor()
      await page.evaluate(layTraces, SURNAME)
      await context.addCookies([{ name: 'trace', value: SURNAME, url: stage.app.url }])
      writeFileSync(join(downloads, 'trace.txt'), Buffer.from(SURNAME, 'utf16le'))
      const found = await residue()
      expect(found).toEqual(expect.arrayContaining(TRACES))
      // And on the disk, where the browser writes what it stores.
      expect(found.filter((place) => place.startsWith('profile/')).length).toBeGreaterThan(0)
    },
    VISIT_MS,
  )

  async function walkTo(last: StepName): Promise<void> {
    heard = []
    await begin(page, stage.app.url)
    for (const step of STEPS) {
      await arriveAt(page, step)
      if (step === last) return
      // So that the wait is long enough to be seen.
      if (step === 'phone') stage.see({ held: HOLDS_THE_END })
      await DOES[step](page, stage)
      if (step === 'phone') await typeCode(page, stage)
    }
  }

  async function expectNothingLeft(): Promise<void> {
    await page.getByRole('button', { name: 'Start in English' }).waitFor()
    expect(await residue()).toEqual([])
    expect(heard.filter((line) => line.includes(SURNAME) || line.includes(NUMBER))).toEqual([])
    const pieces = readFileSync(piecesFile(), 'utf8').trim().split('\n')
    expect(pieces.length).toBeGreaterThan(1)
  }

  /** Returns the identity of the present visit. */
  function identityNow(): string {
    const { visits } = stage.app.appliance.store
    const all = visits.list({ since: new Date(0), until: new Date(8.64e15) })
    return all.find(({ endedAt }) => endedAt === null)?.identityId ?? 'no visit is under way'
  }

  async function expectErased(identityId: string): Promise<void> {
    const erased = () =>
      stage.app.appliance.store.events
        .after(0, 100_000)
        .filter(({ type }) => type === 'identity.erased')
        .map((event) => event.identityId)
    await expect.poll(erased).toContain(identityId)
  }

  /** Lists the places with personal data, in words. */
  async function residue(): Promise<string[]> {
    const found: string[] = []
    for (const [place, text] of Object.entries(await page.evaluate(gather)))
      for (const [name, wanted] of Object.entries(TEXTS))
        if (text.includes(wanted) || (name === 'number' && PHONE.test(text.replaceAll(/\s/g, ''))))
          found.push(`${place}: ${name}`)
    const cookies = JSON.stringify(await context.cookies())
    if (cookies.includes(SURNAME)) found.push('cookies: name')
    else if (cookies !== '[]' && !found.length) found.push('cookies: a session')
    return [...found, ...(await inMemory()), ...onDisk()]
  }

  async function inMemory(): Promise<string[]> {
    const found: string[] = []
    const cdp = await context.newCDPSession(page)
    try {
      await cdp.send('HeapProfiler.enable')
      await cdp.send('HeapProfiler.collectGarbage')
      const count = async (expression: string, filter = 'true') => {
        const { result } = await cdp.send('Runtime.evaluate', { expression: `${expression}.prototype` })
        const { objects } = await cdp.send('Runtime.queryObjects', {
          prototypeObjectId: result.objectId ?? '',
        })
        const { result: counted } = await cdp.send('Runtime.callFunctionOn', {
          objectId: objects.objectId ?? '',
          functionDeclaration: `function () { return this.filter((one) => ${filter}).length }`,
          returnByValue: true,
        })
        await cdp.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' })
        return Number(counted.value)
      }
      const counts = {
        blobs: await count('Blob', 'one.size > 0'),
        'media streams': await count('MediaStream'),
        bitmaps: await count('ImageBitmap', 'one.width > 0'),
      }
      for (const [name, amount] of Object.entries(counts)) if (amount > 0) found.push(`${name}: ${amount}`)
      const chunks: string[] = []
      cdp.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
      await cdp.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
      const snapshot = JSON.parse(chunks.join('')) as Snapshot
      const { strings } = snapshot
      const large = buffersIn(snapshot)
      if (large > 0) found.push(`large buffers: ${large}`)
      const memory = strings.join('\n')
      for (const [name, wanted] of Object.entries(TEXTS))
        if (memory.includes(wanted)) found.push(`memory: ${name}`)
      if (PHONE.test(memory)) found.push('memory: phone')
    } finally {
      await cdp.detach()
    }
    return found
  }

  /** Profile, downloads, temporary files, the server's folder and its log: texts and pieces of the pictures, in every form. */
  function onDisk(): string[] {
    const pieces = existsSync(piecesFile()) ? readFileSync(piecesFile(), 'utf8').trim().split('\n') : []
    const bytes = pieces.map((line) => Buffer.from(line.split(' ')[1] ?? '', 'hex'))
    const wanted: Wanted = {
      name: formsOf(SURNAME),
      number: formsOf(NUMBER),
      ...Object.fromEntries(pick(bytes).map((piece, at) => [`picture ${at}`, formsOfBytes(piece)])),
    }
    const log = ['log', Buffer.from(stage.app.log())] as const
    const places = [
      ...under('profile', profile),
      ...under('downloads', downloads),
      ...under('data', stage.dataDir),
      ...temporary(),
    ]
    return findIn([...places, log], wanted)
  }

  /** New files in temporary folders since this test began, except its own. */
  function* temporary(): Generator<readonly [string, Buffer]> {
    for (const place of TEMPORARY) {
      if (!existsSync(place)) continue
      for (const name of readdirSync(place)) {
        if (!before.has(name) && OF_THE_BROWSER.test(name)) yield* under(name, join(place, name))
      }
    }
  }
})

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } }
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

/** The bytes behind typed arrays: as large as a picture. */
function buffersIn({ snapshot: { meta }, nodes, strings }: Snapshot): number {
  const [name, size] = ['name', 'self_size'].map((field) => meta.node_fields.indexOf(field))
  let found = 0
  for (let at = 0; at < nodes.length; at += meta.node_fields.length)
    if (strings[nodes[at + name]] === 'system / JSArrayBufferData' && nodes[at + size] > LARGE_BYTES)
      found += 1
  return found
}

/** All of them would take minutes: the first, the last and some between. */
function pick<T>(all: readonly T[]): T[] {
  const every = Math.max(1, Math.floor(all.length / 3))
  return all.filter((_, at) => at % every === 0 || at === all.length - 1)
}

function* under(place: string, path: string): Generator<readonly [string, Buffer]> {
  for (const [name, content] of filesAt(path)) yield [`${place}/${name}`, content]
}

/** A file that goes while it is read was none that stays. */
function* filesAt(path: string): Generator<readonly [string, Buffer]> {
  let entries
  try {
    entries = readdirSync(path, { recursive: true, withFileTypes: true })
  } catch {
    entries = null
  }
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    try {
      yield [entry.name, readFileSync(join(entry.parentPath, entry.name))]
    } catch {
      continue
    }
  }
  if (entries !== null) return
  try {
    yield [path, readFileSync(path)]
  } catch {
    return
  }
}

/** A clip of half a minute without two equal pictures: a picture that comes twice ends a portrait session. */
async function pictures(): Promise<Buffer> {
  const [width, height] = [640, 480]
  const grey = Buffer.alloc(width * height * 3, 140)
  const parts: Buffer[] = []
  for (let frame = 0; frame < CLIP_FRAMES; frame += 1) {
    for (let row = 0; row < 16; row += 1)
      for (let at = 0; at < 48; at += 1) grey[row * width * 3 + at] = Math.floor(Math.random() * 256)
    for (let at = 0; at < 6000; at += 1)
      grey[height * width * 1.5 + at] = 110 + Math.floor(Math.random() * 60)
    parts.push(
      await sharp(grey, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 92, chromaSubsampling: '4:2:0' })
        .toBuffer(),
    )
  }
  return Buffer.concat(parts)
}

/** Runs in the page: everything that can hold a text. */
async function gather(): Promise<Record<string, string>> {
  const elements: Element[] = []
  const shadows: string[] = []
  const walk = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll('*')) {
      elements.push(element)
      if (element.shadowRoot) {
        shadows.push(element.shadowRoot.textContent ?? '')
        walk(element.shadowRoot)
      }
    }
  }
  walk(document)
  const cached: string[] = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    for (const request of await cache.keys()) {
      const response = await cache.match(request)
      cached.push(request.url, (await response?.text()) ?? '')
    }
  }
  const databases: string[] = []
  for (const { name } of await indexedDB.databases()) {
    databases.push(name ?? '')
    const database = await new Promise<IDBDatabase>((resolve) => {
      const asked = indexedDB.open(name ?? '')
      asked.onsuccess = () => resolve(asked.result)
    })
    for (const store of database.objectStoreNames) {
      const values = await new Promise<unknown[]>((resolve) => {
        const asked = database.transaction(store).objectStore(store).getAll()
        asked.onsuccess = () => resolve(asked.result as unknown[])
      })
      databases.push(JSON.stringify(values))
    }
    database.close()
  }
  const workers = await navigator.serviceWorker.getRegistrations()
  return {
    dom: document.documentElement.textContent ?? '',
    attributes: elements.flatMap((element) => [...element.attributes].map(({ value }) => value)).join('\n'),
    fields: elements
      .map((element) => (element as HTMLInputElement).value)
      .filter((value) => typeof value === 'string')
      .join('\n'),
    shadow: shadows.join('\n'),
    title: document.title,
    address: location.href,
    'history state': JSON.stringify(history.state),
    'window name': window.name,
    localStorage: JSON.stringify({ ...localStorage }),
    sessionStorage: JSON.stringify({ ...sessionStorage }),
    cached: cached.join('\n'),
    database: databases.join('\n'),
    workers: workers.map(({ scope }) => scope).join('\n'),
    clipboard: await navigator.clipboard.readText().catch(() => ''),
  }
}

/** Runs in the page: a trace in every place. */
async function layTraces(trace: string): Promise<void> {
  const kept = globalThis as unknown as Record<string, unknown>
  const body = document.body
  body.append(document.createTextNode(trace))
  body.setAttribute('data-trace', trace)
  const field = document.createElement('input')
  field.value = trace
  const host = document.createElement('div')
  host.attachShadow({ mode: 'open' }).append(trace)
  body.append(field, host)
  document.title = trace
  history.replaceState({ trace }, '', `#${trace}`)
  window.name = trace
  localStorage.setItem('trace', trace)
  sessionStorage.setItem('trace', trace)
  await (await caches.open('trace')).put('/trace', new Response(trace))
  await new Promise<void>((resolve) => {
    const asked = indexedDB.open('trace')
    asked.onupgradeneeded = () => asked.result.createObjectStore('trace').put(trace, 1)
    asked.onsuccess = () => {
      asked.result.close()
      resolve()
    }
  })
  await navigator.clipboard.writeText(trace)
  kept.keptName = { trace: `${trace} ${Date.now()}` }
  kept.keptBlob = new Blob(['a picture'])
  kept.keptStream = new MediaStream()
  kept.keptBuffer = new ArrayBuffer(20_000)
}
