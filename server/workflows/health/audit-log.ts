/**
 * Writes the appliance's own events to the audit log and guards it: start and stop, detection of an older copy, a signed
 * checkpoint every day, and the head of the log in a file beside the database.
 */
import { createHash } from 'node:crypto'
import { readAnchor, writeAnchor } from '../../store/anchor.ts'
import { checkpointBytes } from '../../audit/statement.ts'
import type { TimeStatement } from '../../clock.ts'
import type { Context } from '../../context.ts'
import { describeError } from '../../log.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Signer } from '../../proof/sign.ts'
import type { Checkpoint } from '../../store/checkpoints.ts'
import type { Author } from '../../store/events.ts'
import type { Store } from '../../store/open.ts'
import { SCHEMA_VERSION } from '../../store/open.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { timeView } from '../proof/time-view.ts'

/** Daily (design: "checkpoint signed daily and in every proof"). */
const CHECKPOINT_EVERY_MS = 24 * 3_600_000
/** A changed clock is noticed within this time; jobs and requests never wait for it. */
const LOOK_EVERY_MS = 5_000
/** The file beside the database is updated at this interval, and at each checkpoint and stop. */
const ANCHOR_EVERY_MS = 60_000
const SET_BACK = 'audit-set-back'

/** Runs once at start: checks that the log is not shorter than before. Never refuses the start. */
export function noteStart(ctx: Context): void {
  const { store, config, clock, log } = ctx
  const at = clock.now()
  const anchor = store.events.readHead(readAnchor(config.dataDir))
  const there = anchor && anchor.seq > 0 ? store.events.after(anchor.seq - 1, 1).at(0) : undefined
  const setBack = anchor !== null && anchor.seq > 0 && there?.hash !== anchor.hash
  if (setBack) {
    const body = { seq: store.events.head().seq, anchorSeq: anchor.seq }
    store.events.append('audit.set_back', null, body, at)
    log.error(body, 'the audit log is older than at the last start: the database was replaced')
  }
  store.meta.setJson(SET_BACK, setBack)
  const configurationSha256 = createHash('sha256').update(JSON.stringify(config), 'utf8').digest('hex')
  const body = { version: PRODUCT_VERSION, schema: SCHEMA_VERSION, configurationSha256 }
  store.events.append('appliance.started', null, body, at)
}

/** True if the log was shorter at this start than before. */
export function wasSetBack(store: Store): boolean {
  return store.meta.getJson(SET_BACK) === true
}

/** Records the start, then checks every few seconds. The returned function records the stop. */
export function watchOver(ctx: Context): () => void {
  noteStart(ctx)
  const { store, time, clock, log, config } = ctx
  let anchoredAt = -Infinity
  let anchoredSeq = -1
  let busy = false
  const anchor = (): void => {
    const head = store.events.sealedHead()
    if (head.seq === anchoredSeq) return
    writeAnchor(config.dataDir, head)
    anchoredSeq = head.seq
  }
  const look = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      time.tick()
      if (isCheckpointDue(store, clock.now())) await makeCheckpoint(ctx, time.statement())
      if (performance.now() - anchoredAt > ANCHOR_EVERY_MS) {
        anchor()
        anchoredAt = performance.now()
      }
    } catch (error) {
      log.error(describeError(error), 'the maintenance of the audit log failed')
    } finally {
      busy = false
    }
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  return () => {
    clearInterval(timer)
    try {
      store.events.append('appliance.stopped', null, { version: PRODUCT_VERSION }, clock.now())
      time.keep()
      anchor()
    } catch (error) {
      log.error(describeError(error), 'the stop could not be recorded')
    }
  }
}

function isCheckpointDue(store: Store, now: Date): boolean {
  const latest = store.checkpoints.latest()
  return latest === null || now.getTime() - latest.at.getTime() >= CHECKPOINT_EVERY_MS
}

/** The input of a checkpoint. A command has no complete context. */
interface CheckpointContext {
  readonly store: Store
  readonly signer: Signer
  readonly config: { readonly dataDir: string }
}

/** Signs the head of the log and records the checkpoint. The log must not be empty. */
export async function makeCheckpoint(
  { store, signer, config }: CheckpointContext,
  time: TimeStatement,
  author: Author = {},
): Promise<Checkpoint> {
  const at = moment(time)
  const { seq, hash } = store.events.head()
  const stated = {
    applianceId: store.applianceId,
    seq,
    hash,
    at: formatSpecDateTime(at),
    time: { ...timeView(time) },
  }
  const checkpoint = { eventSeq: seq, jws: await signer.sign(checkpointBytes(stated)), at }
  store.transaction(() => {
    store.checkpoints.add(checkpoint)
    store.events.append('audit.checkpointed', null, { seq }, at, author)
  })
  writeAnchor(config.dataDir, store.events.sealedHead())
  return checkpoint
}

/** Returns the middle of the possible times. */
function moment({ earliest, latest }: TimeStatement): Date {
  return new Date(Math.round((earliest.getTime() + latest.getTime()) / 2))
}
