/**
 * Imports a bundle of the central service: every file by the rules of an import by hand, all of them in one transaction with one event,
 * or none. The two publishers, whom the central service names under its signature, stand for the two people.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { parseChipCertificate } from '../chip/passive/certificate.ts'
import type { Store } from '../store/open.ts'
import type { TrustFile } from '../store/trust.ts'
import { isAccepted, type Authority } from './authorities.ts'
import { readBundleState, saveBundleState } from './bundle-state.ts'
import {
  checkImporters,
  findStepBack,
  prepareFile,
  saveFile,
  type PreparedFile,
  type ReadAuthorities,
} from './import-file.ts'
import { TrustRefused } from './refused.ts'
import { compareTrustFiles, type ReadTrustFile } from './trust-file.ts'

export interface TrustBundle {
  readonly centreId: string
  readonly version: number
  /** Hash of the signed statement, hexadecimal. */
  readonly sha256: string
  readonly publishedBy: string
  readonly confirmedBy: string
  /** Hashes of all its files, hexadecimal. */
  readonly hashes: readonly string[]
  /** Those of its files that are not in force. */
  readonly files: readonly ReadTrustFile[]
}

export interface BundleImport {
  readonly added: number
  /** Files that stay out, because someone imported a newer one by hand. */
  readonly kept: number
  /** Files of an earlier bundle that this one does not contain. */
  readonly removed: number
}

interface Prepared {
  readonly file: ReadTrustFile
  readonly prepared: PreparedFile
}

/**
 * Other work runs between two files, because a master list takes about a second.
 * @throws TrustRefused with the hash of the file
 */
export async function importTrustBundle(
  store: Store,
  bundle: TrustBundle,
  now: Date,
  author: { readonly actor: string },
): Promise<BundleImport> {
  const before = describeInForce(store)
  const { by, confirmedBy } = checkImporters({ by: bundle.publishedBy, confirmedBy: bundle.confirmedBy })
  if (confirmedBy === null) throw new TrustRefused('Two people publish a bundle.')
  const { ready, kept } = await prepareAll(store, bundle.files, now)
  const done = store.transaction(() => {
    // A person imported or removed a file meanwhile.
    if (describeInForce(store) !== before) return null
    const { centreId, version, sha256 } = bundle
    const saving = { by, confirmedBy, at: now, bundleVersion: version }
    for (const { file, prepared } of ready) saveFile(store, file, prepared, saving)
    const hashes = new Set(bundle.hashes)
    let removed = 0
    for (const { id, sha256: hash, bundleVersion } of listInForce(store)) {
      if (hashes.has(hash)) store.trust.noteChecked(id, now, version)
      else if (bundleVersion !== null) {
        store.trust.remove({ id, at: now, by, confirmedBy })
        removed += 1
      }
    }
    const body = { version, sha256, files: hashes.size, added: ready.length, kept, removed }
    store.events.append('trust.distributed', null, body, now, author)
    const at = now.getTime()
    const state = { ...readBundleState(store, centreId), version, sha256, appliedAt: at, checkedAt: at }
    saveBundleState(store, { ...state, fault: null })
    return { added: ready.length, kept, removed }
  })
  return done ?? importTrustBundle(store, bundle, now, author)
}

/** Verifies each file with the authorities in force and those of the files before it, with no transaction open. */
async function prepareAll(
  store: Store,
  files: readonly ReadTrustFile[],
  now: Date,
): Promise<{ readonly ready: readonly Prepared[]; readonly kept: number }> {
  const ready = new Map<string, Prepared>()
  const read: ReadAuthorities = (filter) => {
    const earlier = [...ready.values()].map(({ file: { kind }, prepared }) => ({ kind, ...prepared }))
    return [
      ...store.trust
        .certificates({ ...filter, without: earlier })
        .map(({ der }) => parseChipCertificate(der)),
      ...earlier
        .filter(({ kind, series }) => !filter.isAnchor || kind === 'CERTIFICATE' || series === filter.country)
        .flatMap(({ judged }) => judged.filter(isAccepted))
        .filter(({ country }) => country === filter.country)
        .map(({ certificate }: Authority) => certificate),
    ]
  }
  let kept = 0
  for (const file of [...files].sort(compareTrustFiles)) {
    await yieldToOthers()
    const prepared = explain(file, () => prepareFile(read, file, now))
    const present = store.trust.findCurrent(file.kind, prepared.series)
    const isByHand = present !== null && present.bundleVersion === null
    // The publishers did not see this newer file, so that they agreed to no step back.
    if (isByHand && findStepBack(present, prepared.signedAt) !== null) kept += 1
    else ready.set(`${file.kind} ${prepared.series}`, { file, prepared })
  }
  return { ready: [...ready.values()], kept }
}

function explain<T>({ sha256 }: ReadTrustFile, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof TrustRefused)) throw error
    throw new TrustRefused(`The file with the SHA-256 ${sha256}: ${error.message}`, { cause: error })
  }
}

function listInForce({ trust }: Pick<Store, 'trust'>): readonly TrustFile[] {
  return trust.list().filter(({ replacedAt }) => replacedAt === null)
}

function describeInForce(store: Pick<Store, 'trust'>): string {
  return listInForce(store)
    .map(({ id }) => id)
    .join()
}
