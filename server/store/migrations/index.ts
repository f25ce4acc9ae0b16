/**
 * All migrations in order: number N brings user_version from N-1 to N. Forward only; a released migration is never
 * edited.
 */
import { initial } from './0001-initial.ts'
import { contract } from './0002-contract.ts'
import { lasting } from './0003-lasting.ts'
import { documents } from './0004-documents.ts'
import { faces } from './0005-faces.ts'
import { judgement } from './0006-judgement.ts'
import { screens } from './0007-screens.ts'
import { keptSessions } from './0008-kept-sessions.ts'
import { identityMode } from './0009-identity-mode.ts'
import { doors } from './0010-doors.ts'
import { fairQueue } from './0011-fair-queue.ts'
import { applications } from './0012-applications.ts'
import { identityKeys } from './0013-identity-keys.ts'
import { setUpBy } from './0014-set-up-by.ts'
import { steps } from './0015-steps.ts'
import { sentVisits } from './0016-sent-visits.ts'
import { closedCalls } from './0017-closed-calls.ts'
import { deliveryReports } from './0018-delivery-reports.ts'
import { trust } from './0019-trust.ts'
import { trustRemoval } from './0020-trust-removal.ts'
import { chipImages } from './0021-chip-images.ts'
import { trustBundles } from './0022-trust-bundles.ts'
import { providedStaff } from './0023-provided-staff.ts'

export const MIGRATIONS: readonly string[] = [
  initial,
  contract,
  lasting,
  documents,
  faces,
  judgement,
  screens,
  keptSessions,
  identityMode,
  doors,
  fairQueue,
  applications,
  identityKeys,
  setUpBy,
  steps,
  sentVisits,
  closedCalls,
  deliveryReports,
  trust,
  trustRemoval,
  chipImages,
  trustBundles,
  providedStaff,
]
