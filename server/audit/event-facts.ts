/**
 * One pass over the log: authenticates each row, and collects facts about proofs, outbox and erasures from authentic
 * rows.
 */
import type { AuditFinding, ChainHead, EventRow } from '../store/event-chain.ts'
import type { AuditView } from '../store/audit-view.ts'
import type { Findings } from './findings.ts'

export interface SealedFact {
  readonly seq: number
  readonly identityId: string
  readonly at: number
  /** Undefined: an older version did not record it. */
  readonly sha256?: string
  readonly bytes?: number
  readonly levelOfAssurance?: string
  readonly expiresAt?: number
}

export interface OutboxFact {
  readonly seq: number
  readonly sequence: number
  readonly identityId: string
  /** The last recorded state. */
  state: 'QUEUED' | 'ACKNOWLEDGED' | 'REFUSED' | 'WITHDRAWN' | 'LOST'
  stateSeq: number
}

interface ErasedFact {
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly reason: string | null
}

/** A rare event, stored completely. */
export interface NotedEvent {
  readonly seq: number
  readonly type: string
  readonly identityId: string | null
  readonly actor: string
  readonly reason: string | null
  readonly at: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Events of keys, membership, bundles, holds and begun erasures. */
const NOTED = /^(key|sync|bundle|hold|erasure)\.|^appliance\.restored$/

export interface EventFacts {
  /** Sorted. */
  readonly noted: readonly NotedEvent[]
  readonly head: ChainHead
  readonly events: number
  readonly sealed: ReadonlyMap<string, SealedFact>
  readonly retrieved: ReadonlyMap<string, number>
  /** Keyed by proof id. */
  readonly outbox: ReadonlyMap<string, OutboxFact>
  readonly erased: ReadonlyMap<string, ErasedFact>
  /** Sequence numbers with a checkpoint. */
  readonly checkpointed: ReadonlyMap<number, number>
  readonly lastEnrolledSeq: number
  /** Hash at a requested sequence number; undefined if the log has no such row. */
  hashAt(seq: number): string | undefined
}

type Body = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const optional = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** `wanted`: sequence numbers whose hashes will be requested. */
export function walkEvents(view: AuditView, wanted: ReadonlySet<number>, findings: Findings): EventFacts {
  const walk = view.walk()
  const sealed = new Map<string, SealedFact>()
  const retrieved = new Map<string, number>()
  const outbox = new Map<string, OutboxFact>()
  const erased = new Map<string, ErasedFact>()
  const checkpointed = new Map<number, number>()
  const hashes = new Map<number, string>()
  const noted: NotedEvent[] = []
  let lastEnrolledSeq = 0
  let events = 0
  /** Since the last restored backup there were only start-up events of the appliance. */
  let justRestored = false

  const setOutbox = (row: EventRow, body: Body, state: OutboxFact['state']): void => {
    const proofId = text(body.proofId)
    const known = outbox.get(proofId)
    if (known) {
      known.state = state
      known.stateSeq = row.seq
    } else {
      const sequence = number(body.sequence) ?? 0
      const identityId = row.identity_id ?? ''
      outbox.set(proofId, { seq: row.seq, sequence, identityId, state, stateSeq: row.seq })
    }
  }
  const readers: Readonly<Record<string, (row: EventRow, body: Body) => void>> = {
    'proof.sealed': ({ seq, identity_id, at }, body) =>
      sealed.set(text(body.proofId), {
        seq,
        identityId: identity_id ?? '',
        at,
        sha256: optional(body.sha256),
        bytes: number(body.bytes),
        levelOfAssurance: optional(body.levelOfAssurance),
        expiresAt: number(body.expiresAt),
      }),
    'proof.retrieved': ({ at }, body) => retrieved.set(text(body.proofId), at),
    'outbox.queued': (row, body) => setOutbox(row, body, 'QUEUED'),
    'outbox.acknowledged': (row, body) => setOutbox(row, body, 'ACKNOWLEDGED'),
    'outbox.refused': (row, body) => setOutbox(row, body, 'REFUSED'),
    'outbox.withdrawn': (row, body) => setOutbox(row, body, 'WITHDRAWN'),
    'outbox.lost': (row, body) => setOutbox(row, body, 'LOST'),
    'identity.erased': ({ seq, at, actor, reason, identity_id }) =>
      erased.set(identity_id ?? '', { seq, at, actor, reason }),
    'audit.checkpointed': ({ seq }, body) => checkpointed.set(number(body.seq) ?? 0, seq),
    'sync.enrolled': ({ seq }) => {
      lastEnrolledSeq = seq
    },
    'audit.set_back': ({ seq }, body) => {
      if (justRestored) return
      const from = number(body.anchorSeq) ?? 0
      const message =
        `At the start that event ${seq} notes, the log ended at event ${number(body.seq) ?? 0}, though it had already ` +
        `reached ${from}: an older database was put in place, and no restored backup explains it.`
      findings.add('events', 'set_back', seq, message)
    },
  }
  const ofABeginning = ['appliance.restored', 'appliance.started', 'clock.stepped', 'audit.set_back']

  for (const row of view.events()) {
    events++
    if (wanted.has(row.seq)) hashes.set(row.seq, row.hash.toString('hex'))
    // A row that is not authentic is reported, and its contents are ignored.
    if (!walk.next(row)) continue
    const body = JSON.parse(row.body) as Body
    readers[row.type]?.(row, body)
    if (NOTED.test(row.type)) {
      const { seq, type, identity_id: identityId, actor, reason, at } = row
      noted.push({ seq, type, identityId, actor, reason, at, body })
    }
    justRestored = row.type === 'appliance.restored' || (justRestored && ofABeginning.includes(row.type))
  }
  walk.end(view.keptHead, view.highestSeq)
  for (const finding of walk.findings) nameChainFinding(finding, findings)
  return {
    head: walk.last,
    events,
    noted,
    sealed,
    retrieved,
    outbox,
    erased,
    checkpointed,
    lastEnrolledSeq,
    hashAt: (seq) => hashes.get(seq),
  }
}

function nameChainFinding({ seq, through, problem }: AuditFinding, findings: Findings): void {
  const [rows, are] = through === undefined ? [`Event ${seq}`, 'is'] : [`Events ${seq} to ${through}`, 'are']
  const sentences: Readonly<Record<AuditFinding['problem'], string>> = {
    missing: `${rows} ${are} missing from the middle of the log.`,
    changed: `${rows} ${are} not as this appliance wrote ${through === undefined ? 'it' : 'them'}, or never came from it.`,
    replayed: `${rows} ${are} genuine but from another copy of this log: it does not follow the event before it.`,
    cut_off: `${rows} ${are} missing from the end of the log.`,
    head_changed: `The note of the newest event does not fit the log, which ends at event ${seq}.`,
  }
  const row = through === undefined ? String(seq) : `${seq}-${through}`
  findings.add('events', problem, row, sentences[problem])
}
