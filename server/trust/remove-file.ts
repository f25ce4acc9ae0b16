/** Removes one file from the trust store. Two people must agree: a state without authorities is a state whose documents fail. */
import type { Store } from '../store/open.ts'
import type { TrustFile } from '../store/trust.ts'
import { checkImporters, type Importers } from './import-file.ts'
import { TrustRefused } from './refused.ts'

/**
 * The file stays as a record, without its certificates; the event is saved in the same transaction.
 * @throws TrustRefused
 */
export function removeTrustFile(
  store: Store,
  id: string,
  importers: Importers,
  now: Date,
  author: { readonly actor: string },
): TrustFile {
  const { by, confirmedBy } = checkImporters(importers)
  if (confirmedBy === null)
    throw new TrustRefused('A file is removed by two people. Add --confirmed-by NAME of the second person.')
  return store.transaction(() => {
    const file = store.trust.list().find((each) => each.id === id)
    if (file === undefined || file.replacedAt !== null)
      throw new TrustRefused('No file in force has this id. npm run trust -- list --json shows the ids.')
    store.trust.remove({ id, at: now, by, confirmedBy })
    const { kind, sha256 } = file
    store.events.append('trust.removed', null, { fileId: id, kind, sha256 }, now, author)
    return { ...file, replacedAt: now, removedBy: by, removalConfirmedBy: confirmedBy }
  })
}
