/** Exports the audit log as a signed file of lines while the appliance runs. The export is an event. */
import { writeExport, type ExportRange } from '../../audit/export.ts'
import { checkpointBytes } from '../../audit/statement.ts'
import type { TimeStatement } from '../../clock.ts'
import type { Signer } from '../../proof/sign.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Author } from '../../store/events.ts'
import type { Store } from '../../store/open.ts'
import { timeView } from '../proof/time-view.ts'

/** Writes the file at `path` and returns the numbers of its first and last event. */
export async function exportAuditLog(
  { store, signer }: { readonly store: Store; readonly signer: Signer },
  time: TimeStatement,
  path: string,
  range: ExportRange,
  author: Author,
): Promise<{ readonly from: number; readonly to: number }> {
  const view = { events: () => store.eventPages.rows() }
  const { from, to, sha256 } = await writeExport(view, path, range, ({ head, ...rest }) => {
    const at = formatSpecDateTime(time.latest)
    const stated = { applianceId: store.applianceId, ...head, at, time: { ...timeView(time) }, export: rest }
    return signer.sign(checkpointBytes(stated))
  })
  store.events.append('audit.exported', null, { from, to, sha256 }, time.latest, author)
  return { from, to }
}
