/**
 * The audit log at the counter: read page by page, its chain verified, exported with a signature. The log
 * holds ids; names are looked up when it is shown. Never: changes a row.
 */
import { staffActor } from '../workflows/access/author.ts'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Router } from 'express'
import type { StoredEvent } from '../store/events.ts'
import type { EventFilter } from '../store/event-pages.ts'
import { makeCheckpoint, wasSetBack } from '../workflows/health/audit-log.ts'
import { exportAuditLog } from '../workflows/health/export-audit-log.ts'
import { needs, needsFresh, requireStaff } from './access.ts'
import { AuditExport, AuditQuery } from './contract/audit.ts'
import type { AuditActor, AuditPage, AuditRow, ChainState } from './contract/audit.ts'
import type { CounterDeps } from './deps.ts'
import { parseJsonBody, readQuery } from './guard.ts'
import { toOwnAuthor } from './staff/sign-in.ts'

/**
 * Number of newest rows that one check verifies: about 10 µs each, during which the server answers nothing
 * else. Starting value.
 */
const ROWS_LOOKED_AT = 5000
/** The result is cached for this time, because more frequent checks would be wasted work. */
const LOOK_EVERY_MS = 30_000
const CHECKPOINTS_SHOWN = 20

export function auditRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, ctx, clock } = deps
  let looked: { readonly atMs: number; readonly headHash: string; readonly state: ChainState } | null = null

  const chain = (): ChainState => {
    const now = clock.now()
    const head = store.events.head()
    if (looked?.headHash === head.hash && now.getTime() - looked.atMs < LOOK_EVERY_MS) return looked.state
    const findings = store.auditEvents(ROWS_LOOKED_AT)
    const state: ChainState = {
      state: findings.length === 0 ? 'WHOLE' : 'BROKEN',
      findings: findings.map(({ seq, through, problem }) => ({ seq, through: through ?? null, problem })),
      checked: Math.min(ROWS_LOOKED_AT, head.seq),
      total: head.seq,
      checkedAt: now.toISOString(),
      setBack: wasSetBack(store),
      headHash: head.hash,
      checkpoints: store.checkpoints
        .list()
        .map(({ eventSeq, at }) => ({ seq: eventSeq, at: at.toISOString() }))
        .sort((a, b) => b.seq - a.seq)
        .slice(0, CHECKPOINTS_SHOWN),
    }
    looked = { atMs: now.getTime(), headHash: head.hash, state }
    return state
  }

  router.get('/', needs('audit:read'), (req, res) => {
    const query = readQuery(req, AuditQuery)
    const filter = buildFilter(deps, query)
    const found = filter === null ? [] : store.eventPages.page({ ...filter, limit: query.limit + 1 })
    const shown = found.slice(0, query.limit)
    const toRow = rowMaker(deps)
    const page: AuditPage = {
      rows: shown.map(toRow),
      next: found.length > query.limit ? (shown.at(-1)?.seq ?? null) : null,
      types: store.eventPages.types(),
    }
    res.json(page)
  })

  router.get('/chain', needs('audit:read'), (_req, res) => {
    res.json(chain())
  })

  router.post('/checkpoint', needs('audit:export'), needsFresh(), async (req, res) => {
    await makeCheckpoint(ctx, ctx.time.statement(), toOwnAuthor(requireStaff(req).staffId))
    looked = null
    res.json(chain())
  })

  router.post('/export', needs('audit:export'), needsFresh(), async (req, res) => {
    const { from, to } = await parseJsonBody(req, AuditExport)
    const range = { ...end('from', from), ...end('to', to) }
    const folder = await mkdtemp(join(await realpath(tmpdir()), 'counterproof-audit-'))
    try {
      const path = join(folder, 'audit.jsonl')
      const author = toOwnAuthor(requireStaff(req).staffId)
      const lines = await exportAuditLog(ctx, ctx.time.statement(), path, range, author)
      res.attachment(`audit-${lines.from}-${lines.to}.jsonl`)
      // Set it after the file name: Express does not know the type of that extension.
      res.set('Content-Type', 'application/jsonl; charset=utf-8')
      await new Promise<void>((resolve, reject) => {
        res.sendFile(path, { cacheControl: false, etag: false, lastModified: false }, (error) => {
          // A client that disconnected is no fault of ours, and cannot be answered.
          if (error && !res.headersSent) reject(error)
          else resolve()
        })
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
  return router
}

/** Null: there is no such reference, so no row can match. */
function buildFilter({ store }: CounterDeps, query: AuditQuery): Omit<EventFilter, 'limit'> | null {
  const { since, until, type, reference, actor, before } = query
  const identityId = reference === undefined ? undefined : findIdentityId(reference)
  if (identityId === null) return null
  return {
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
    ...(type === undefined ? {} : { type }),
    ...(identityId === undefined ? {} : { identityId }),
    ...(actor === undefined ? {} : { actors: listActors(actor) }),
    ...(before === undefined ? {} : { before }),
  }

  function findIdentityId(text: string): string | null {
    if (text.length > 9) return text
    const letters = text.toUpperCase().replace('-', '')
    return store.visits.findByReference(`${letters.slice(0, 4)}-${letters.slice(4)}`)?.identityId ?? null
  }
}

/** The id may be an officer's, or an application's under either of its roles. */
function listActors(actor: string): readonly string[] {
  if (!actor.includes('-')) return [actor]
  return ['STAFF', 'RELYING_SERVICE', 'USER_AGENT'].map((role) => `${role}:${actor}`)
}

function end(
  name: 'from' | 'to',
  value: number | string | null,
): { from?: number | Date; to?: number | Date } {
  if (value === null) return {}
  return { [name]: typeof value === 'number' ? value : new Date(value) }
}

/** Looks each name up once per page. */
function rowMaker({ store, config }: CounterDeps): (event: StoredEvent) => AuditRow {
  const names = new Map<string, string | null>()
  const lookUpName = (key: string, look: () => string | null): string | null => {
    const known = names.get(key)
    if (known !== undefined) return known
    const name = look()
    names.set(key, name)
    return name
  }
  const describeActor = (text: string): AuditActor => {
    const [role = '', id = null] = text.split(':', 2)
    switch (role) {
      case 'STAFF':
        return { kind: 'STAFF', id, name: lookUpName(text, () => store.staff.find(id ?? '')?.name ?? null) }
      case 'RELYING_SERVICE':
      case 'USER_AGENT':
        return {
          kind: 'APPLICATION',
          id,
          name: lookUpName(text, () => store.apiKeys.findApplicationName(config.tenant.id, id ?? '')),
        }
      case 'operator':
        return { kind: 'OPERATOR', id: null, name: null }
      case 'centre':
        return { kind: 'CENTRE', id: null, name: null }
      default:
        return { kind: 'APPLIANCE', id: null, name: null }
    }
  }
  return ({ seq, at, actor: text, type, reason, identityId, body }) => {
    const actor = describeActor(text)
    const reference =
      identityId === null
        ? null
        : lookUpName(
            `reference:${identityId}`,
            () => store.visits.findByIdentity(identityId)?.reference ?? null,
          )
    const address = typeof body.from === 'string' ? body.from : null
    const from = address ?? (actor.kind === 'APPLICATION' ? actor.name : null)
    const second = typeof body.confirmedBy === 'string' ? describeActor(staffActor(body.confirmedBy)) : null
    const who = { actor, confirmedBy: second }
    return { seq, at: at.toISOString(), ...who, type, reason, identityId, reference, from, body }
  }
}
