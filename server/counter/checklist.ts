/**
 * The first-run checklist: each row shows the state of a part of the appliance and runs its test. It says
 * "works" only after a test or a report. Owns the result of the last test of each row. Never: settings.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { readBody } from '../http/body.ts'
import { isFromThisMachine } from '../http/this-machine.ts'
import { AppError } from '../errors.ts'
import { BUILT_IN } from '../proofing/applications.ts'
import { judgeCameraTest } from '../proofing/camera-test.ts'
import type { CameraFinding } from '../proofing/camera-test.ts'
import { backupState } from '../workflows/health/backup-state.ts'
import { measureCameraPicture } from '../workflows/capture/camera-look.ts'
import { reachHere } from '../workflows/health/reach-on-this-machine.ts'
import { syncState } from '../workflows/health/sync-state.ts'
import { promiseRetention } from '../workflows/retention/apply-retention.ts'
import { needs, ROLES } from './access.ts'
import { getEventActor } from './caller.ts'
import type { PartWord } from './contract/devices.ts'
import { CHECKLIST_ROWS, TOLD_TESTS, ToldTest } from './contract/checklist.ts'
import type { ChecklistName, ChecklistRow, ChecklistTest, ChecklistView } from './contract/checklist.ts'
import type { CounterDeps } from './deps.ts'
import { parseJsonBody } from './guard.ts'
import { organisationName } from './organisation.ts'
import { sendPicture } from './proofing.ts'

interface KeptTest extends ChecklistTest {
  readonly lacks?: readonly string[]
}
type KeptTests = Readonly<Partial<Record<ChecklistName, KeptTest>>>

const KEPT = 'checklist-tests'
/** The size of the largest still of a browser's camera. */
const MAX_PICTURE_BYTES = 8_000_000
/** Long enough to look at it; then the picture of the desk is deleted. */
const PICTURE_MS = 5 * 60_000

type RowState = Pick<ChecklistRow, 'word'> & Partial<Pick<ChecklistRow, 'slots' | 'lacks'>>

export function checklistRouter(deps: CounterDeps): Router {
  const router = Router()
  const { ctx, store, clock } = deps
  const may = needs('checklist:do')
  const picture = shortLived(() => clock.now())

  const tests = (): KeptTests => (store.meta.getJson(KEPT) as KeptTests | null) ?? {}
  const note = (req: Request, name: ChecklistName, test: Omit<KeptTest, 'at' | 'here'>): void => {
    const at = clock.now()
    store.transaction(() => {
      store.meta.setJson(KEPT, {
        ...tests(),
        [name]: { at: at.toISOString(), here: isFromThisMachine(req), ...test },
      })
      store.events.append('device.tested', null, { part: name, passed: test.passed }, at, getEventActor(req))
    })
  }
  const buildRow = async (name: ChecklistName): Promise<ChecklistRow> => {
    const kept = tests()[name]
    const progress = name === 'backup' ? (ctx.backups()?.progress() ?? null) : null
    const { slots = {}, lacks = [], word } = await STANDINGS[name](deps, kept ?? null)
    return {
      name,
      word,
      slots,
      lacks,
      lastTest: kept ? { at: kept.at, passed: kept.passed, found: kept.found, here: kept.here } : null,
      progress: progress?.step ?? null,
      progressSince: progress?.startedAt.toISOString() ?? null,
      hasPicture: name === 'document-camera' && picture.get() !== null,
    }
  }

  router.get('/checklist', may, async (_req, res) => {
    const view: ChecklistView = {
      rows: await Promise.all(CHECKLIST_ROWS.map(buildRow)),
      languages: deps.journey?.languages ?? [],
      at: clock.now().toISOString(),
    }
    res.json(view)
  })

  router.post('/checklist/tests/face-camera', may, async (req, res) => {
    const found = await judgePicture(deps, await readBody(req, MAX_PICTURE_BYTES))
    note(req, 'face-camera', { passed: found === null, found })
    res.json(await buildRow('face-camera'))
  })

  router.post('/checklist/tests/face-camera/missing', may, async (req, res) => {
    note(req, 'face-camera', { passed: false, found: 'NO_PICTURE' })
    res.json(await buildRow('face-camera'))
  })

  router.post('/checklist/tests/document-camera', may, async (req, res) => {
    if (!ctx.documentCamera.isConfigured) throw notSetUp()
    const tested = await ctx.documentCamera.selfTest()
    const findings = tested.kind === 'tested' ? tested.test.findings : [tested.fault]
    const taken = await ctx.documentCamera.take()
    picture.put(taken.kind === 'taken' ? taken.picture.bytes : null)
    note(req, 'document-camera', { passed: findings.length === 0, found: findings[0] ?? null })
    res.json(await buildRow('document-camera'))
  })

  router.get('/checklist/pictures/document-camera', may, (_req, res) => {
    const bytes = picture.get()
    if (!bytes) throw new AppError('not_found', { resource: 'picture' })
    sendPicture(res, { bytes, mediaType: 'image/jpeg' })
  })

  for (const name of TOLD_TESTS) {
    router.post(`/checklist/tests/${name}`, may, async (req, res) => {
      const { passed, lacks } = await parseJsonBody(req, ToldTest)
      note(req, name, { passed, found: passed ? null : 'TOLD', lacks })
      res.json(await buildRow(name))
    })
  }

  router.post('/checklist/backup', may, async (_req, res) => {
    const backups = ctx.backups()
    if (!backups) throw notSetUp()
    backups.makeNow()
    res.status(202).json(await buildRow('backup'))
  })
  return router
}

const notSetUp = (): AppError => new AppError('transition_refused', { reason: 'not_set_up' })

async function judgePicture(
  { ctx, cameraLimits }: CounterDeps,
  bytes: Uint8Array,
): Promise<CameraFinding | null> {
  const look = await measureCameraPicture(ctx.vision, bytes).catch(() => null)
  const evidence = { look, picturesAreIdentical: false, isCamera: true, needsEdges: true }
  return judgeCameraTest(evidence, cameraLimits).findings[0] ?? null
}

/** Returns the state of a part; `test` is the last result of this checklist. */
const STANDINGS: Readonly<
  Record<ChecklistName, (deps: CounterDeps, test: KeptTest | null) => RowState | Promise<RowState>>
> = {
  organisation: (deps) => {
    const isNamed = Boolean(deps.journey?.organisation ?? deps.brand)
    const name = organisationName(deps) ?? deps.config.tenant.name
    return { word: isNamed ? 'WORKS' : 'NOT_SET_UP', slots: { name } }
  },
  'face-camera': (_deps, test) => ({ word: describeTestHere(test) }),
  'document-camera': async ({ ctx }, test) => {
    if (!ctx.documentCamera.isConfigured) return { word: 'NOT_SET_UP' }
    const { status } = await ctx.documentCamera.health()
    return { word: status === 'UP' ? describeTest(test) : 'PROBLEM' }
  },
  voice: (_deps, test) => ({ word: describeTestHere(test), lacks: test?.lacks ?? [] }),
  printer: (_deps, test) => ({ word: describeTestHere(test) }),
  // The extended pack has the second network, as `npm start` warns.
  'face-networks': async ({ ctx }) => {
    const health = await ctx.vision.health({}).catch(() => null)
    if (!health) return { word: 'PROBLEM' }
    return { word: health.packs.includes('extended') ? 'WORKS' : 'NOT_SET_UP' }
  },
  'master-key': ({ config, store }) => {
    if (config.kek.source === 'shell') return { word: 'NOT_KNOWN' }
    const isSplit = store.eventPages.page({ type: 'kek.split', limit: 1 }).length > 0
    return { word: isSplit ? 'WORKS' : 'NOT_SET_UP' }
  },
  backup: ({ config, store }) => {
    if (!config.backup) return { word: 'NOT_SET_UP' }
    const last = backupState({ store })
    if (!last) return { word: 'NOT_KNOWN' }
    const slots = { at: new Date(last.at).toISOString() }
    return { word: last.outcome === 'whole' ? 'WORKS' : 'PROBLEM', slots }
  },
  'head-office': ({ store }) => {
    if (!store.enrolments.find()?.membership) return { word: 'NOT_SET_UP' }
    const { lastContactAt, failingSince } = syncState({ store })
    if (failingSince !== null) return { word: 'PROBLEM' }
    return { word: lastContactAt === null ? 'NOT_KNOWN' : 'WORKS' }
  },
  // Nothing that the kiosk has sealed is erased by itself, unless something takes its proofs.
  erasure: (deps) => {
    const { hoursAfterHandover } = promiseRetention(deps, BUILT_IN.KIOSK)
    return { word: hoursAfterHandover === null ? 'NOT_SET_UP' : 'WORKS' }
  },
  staff: ({ store }) => {
    const ready = store.staff.list().filter(({ enabled, setUpUntil }) => enabled && setUpUntil === null)
    // The display role is a screen, not a person, so it is not required.
    const people = ROLES.filter((role) => role !== 'display')
    const lacks = people.filter((role) => !ready.some(({ roles }) => roles.includes(role)))
    return { word: lacks.length === 0 ? 'WORKS' : 'NOT_SET_UP', lacks }
  },
  policy: async ({ ctx }) => {
    const { title, now, withoutFaults, highest } = await reachHere(ctx)
    return {
      word: now === withoutFaults ? 'WORKS' : 'PROBLEM',
      slots: { title, now, withoutFaults, highest },
    }
  },
}

const describeTest = (test: KeptTest | null): PartWord =>
  test === null ? 'NOT_KNOWN' : test.passed ? 'WORKS' : 'PROBLEM'

/** Camera, voice and printer belong to the computer of the browser: a pass on another one says nothing of this machine. */
const describeTestHere = (test: KeptTest | null): PartWord =>
  test?.passed === true && !test.here ? 'NOT_KNOWN' : describeTest(test)

/** Keeps one picture for a few minutes. */
function shortLived(now: () => Date) {
  let kept: { readonly bytes: Uint8Array; readonly until: number } | null = null
  return {
    put: (bytes: Uint8Array | null): void => {
      kept = bytes && { bytes, until: now().getTime() + PICTURE_MS }
    },
    get: (): Uint8Array | null => {
      if (kept && kept.until < now().getTime()) kept = null
      return kept?.bytes ?? null
    },
  }
}
