/** Sorted; a released migration never changes. */
import type { Migration } from './migration.ts'
import { kiosksAndProofs } from './0001-kiosks-and-proofs.ts'
import { headOffice } from './0002-head-office.ts'
import { replays } from './0003-replays.ts'
import { lostProofs } from './0004-lost-proofs.ts'
import { trustBundles } from './0005-trust-bundles.ts'
import { trustVersions } from './0006-trust-versions.ts'
import { backups } from './0007-backups.ts'
import { feedOrder } from './0008-feed-order.ts'
import { placedPackets } from './0009-placed-packets.ts'
import { testProofs } from './0010-test-proofs.ts'
import { deletion } from './0011-deletion.ts'
import { lines } from './0012-lines.ts'
import { callCounts } from './0013-call-counts.ts'
import { staff } from './0014-staff.ts'
import { parkedDeliveries } from './0015-parked-deliveries.ts'
import { alarmResolutions } from './0016-alarm-resolutions.ts'
import { proofFigures } from './0017-proof-figures.ts'
import { rollouts } from './0018-rollouts.ts'
import { monthBounds } from './0019-month-bounds.ts'
import { checkedBounds } from './0020-checked-bounds.ts'
import { months } from './0021-months.ts'
import { namedLines } from './0022-named-lines.ts'
import { revokedBy } from './0023-revoked-by.ts'

export const MIGRATIONS: readonly Migration[] = [
  kiosksAndProofs,
  headOffice,
  replays,
  lostProofs,
  trustBundles,
  trustVersions,
  backups,
  feedOrder,
  placedPackets,
  testProofs,
  deletion,
  lines,
  callCounts,
  staff,
  parkedDeliveries,
  alarmResolutions,
  proofFigures,
  rollouts,
  monthBounds,
  checkedBounds,
  months,
  namedLines,
  revokedBy,
]
