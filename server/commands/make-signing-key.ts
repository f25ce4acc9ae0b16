/**
 * `signing-keys create` and `rotate`: creates a key, by one person, a script, or two people in a ceremony.
 */
import { computeFingerprint } from '../keys/ceremony.ts'
import { KeyRefused } from '../keys/refused.ts'
import { addSigningKey, rotateSigningKeys } from '../keys/rotation.ts'
import { makeSigningKey, type NewSigningKey } from '../keys/signing-key.ts'
import type { Store } from '../store/open.ts'
import { deriveKeyState } from '../store/signing-keys.ts'
import { OPERATOR } from './appliance.ts'
import { confirmFingerprint, nameWitnesses, recordAndCommit } from './signing-key-ceremony.ts'
import { type Result, type Values, type Work } from './signing-key-work.ts'
import { openTerminal } from './terminal.ts'
import { UsageError } from './usage.ts'

const DAY_MS = 86_400_000
const DEFAULT_PUBLISH_DAYS = 7
const MAX_PUBLISH_DAYS = 365

export async function make(work: Work, how: 'create' | 'rotate'): Promise<Result> {
  const { config, store, values } = work
  const days = how === 'create' ? 0 : publishDays(values['publish-days'])
  const previousKid = store.signingKeys.active(new Date())?.kid ?? null
  refuseInVain(store, how)
  const ceremony = readCeremony(values)
  const terminal = ceremony ? openTerminal() : null
  let made: NewSigningKey | null = null
  try {
    const witnesses = ceremony && terminal ? await nameWitnesses(ceremony, terminal) : []
    made = await makeSigningKey(config.signing.source, work.openToken)
    const { signer, kept } = made
    if (ceremony?.readAloud && terminal) await confirmFingerprint(signer, terminal)
    const at = new Date()
    const activeFrom = new Date(at.getTime() + days * DAY_MS)
    const fresh = made
    const commit = (): void => {
      if (how === 'create') addSigningKey(store, fresh, at, OPERATOR)
      else rotateSigningKeys(store, fresh, activeFrom, at, OPERATOR)
    }
    let record: string | null = null
    if (ceremony) {
      const facts = {
        applianceId: store.applianceId,
        source: kept.source,
        at,
        activeFrom,
        previousKid,
        witnesses,
      }
      const confirmed = ceremony.readAloud
      record = await recordAndCommit(signer, { ...facts, confirmed }, ceremony.recordDir, commit)
    } else commit()
    made = null
    const retired = how === 'rotate' ? previousKid : null
    return {
      json: {
        kid: signer.keyId,
        fingerprint: computeFingerprint(signer.publicKey),
        activeFrom,
        retired,
        record,
      },
      lines: [
        `${signer.keyId}  in use from ${activeFrom.toISOString()}`,
        `fingerprint: ${computeFingerprint(signer.publicKey)}`,
        ...(record ? [`record: ${record}`] : []),
      ],
    }
  } finally {
    terminal?.close()
    made?.discard()
  }
}

/** Refuses before the first question; the transaction that stores the key checks again. */
function refuseInVain(store: Store, how: 'create' | 'rotate'): void {
  const states = store.signingKeys.list().map((key) => deriveKeyState(key, new Date()))
  if (how === 'create' && (states.includes('ACTIVE') || states.includes('PENDING'))) {
    throw new KeyRefused('A key is in use or waits for its time; `rotate` makes the next one.')
  }
  if (how === 'rotate' && states.includes('PENDING')) {
    throw new KeyRefused(
      'The next key is there already and waits for its time. Cancel it first: npm run signing-keys -- retire KID',
    )
  }
  if (how === 'rotate' && !states.includes('ACTIVE'))
    throw new KeyRefused('No key is in use; `create` makes one.')
}

function readCeremony({ ceremony, record, witness = [], unattended }: Values) {
  if (!ceremony) {
    if (record !== undefined || witness.length > 0)
      throw new UsageError('--record and --witness go with --ceremony')
    return null
  }
  if (record === undefined) throw new UsageError('--ceremony needs --record DIR')
  return { recordDir: record, witnesses: witness, readAloud: !unattended }
}

function publishDays(text: string | undefined): number {
  const days = text === undefined ? DEFAULT_PUBLISH_DAYS : Number(text)
  if (!(Number.isInteger(days) && days >= 0 && days <= MAX_PUBLISH_DAYS)) {
    throw new UsageError(`--publish-days needs a whole number from 0 to ${MAX_PUBLISH_DAYS}`)
  }
  return days
}
