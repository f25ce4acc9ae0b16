/** The rules of an update at the kiosk: which release is installed, and when a started version is healthy. They read no disk. */
import { z } from 'zod'
import { compareDebianVersions } from './debian-version.ts'
import type { ReleaseManifest } from './manifest.ts'

/** Each reason of a result, with what happened and what to do. The reasons in front refuse an update before it begins. */
export const REASONS = {
  REQUEST_MALFORMED: 'The request is not of this product. Ask for the update again.',
  MANIFEST_MALFORMED: 'The release manifest is not of this product. Get the release again.',
  KEY_UNKNOWN:
    'The release is signed with a key that this kiosk does not trust. Compare the key with the vendor, and put its public key (PEM) into /etc/counterproof/release-keys.',
  KEYS_UNSAFE:
    'Others than root may write /etc/counterproof/release-keys or a key in it. Make root its owner, remove the permission, and check the keys.',
  SIGNATURE_INVALID:
    'The signature does not fit the release manifest. Get the release again from its vendor.',
  PACKAGE_DIFFERS: 'The package is not the one of the release manifest. Get the package again.',
  PACKAGE_FOREIGN:
    'The package has another name, version or architecture than its manifest. Tell the vendor of the release.',
  OTHER_ARCHITECTURE: 'The release is for another processor. Get the release for this one.',
  NOT_NEWER:
    'The installed version is the same or newer, and an older version cannot read its database. To return to the version before, run: counterproof-update rollback. To return further, restore a backup (docs/RUNBOOK.md).',
  FROM_TOO_OLD: 'This release does not upgrade the installed version. Install a release between them first.',
  NO_SPACE: 'The disk has not enough space for the packages and the copy of the database. Free some space.',
  NOTHING_KEPT: 'The package of the version before is not kept. Install it by hand, or restore a backup.',
  VISIT_UNDER_WAY:
    'A visit did not end in time, and an update does not cut it off. Ask for the update again later.',
  INSTALL_FAILED: 'dpkg could not install the package: see journalctl -u counterproof-update.',
  START_FAILED: 'The new version did not become healthy: see journalctl -u counterproof.',
  INTERRUPTED: 'The update was interrupted, for example by a power cut. Ask for the update again.',
  ROLLBACK_FAILED:
    'The version before did not start again. The copy of the database is in /var/lib/counterproof/updates/before: see docs/RUNBOOK.md.',
} as const
export type Reason = keyof typeof REASONS
const STATES = ['INSTALLED', 'ROLLED_BACK', 'REFUSED', 'FAILED'] as const

const version = z.string().max(100)
const id = z.string().regex(/^[0-9A-Za-z-]{1,64}$/)

/** `request.json`, which the unprivileged server writes. */
export const RequestSchema = z.strictObject({
  id,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  action: z.literal('install'),
})

/** `result.json`, which the server reports to the central service. */
export const ResultSchema = z.strictObject({
  id,
  state: z.enum(STATES),
  /** Null if the update was installed. */
  reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).nullable(),
  from: version,
  /** Null if the release manifest could not be trusted. */
  to: version.nullable(),
  at: z.iso.datetime(),
})
export type UpdateResult = z.infer<typeof ResultSchema>

/**
 * `under-way.json`. While it exists, the kiosk takes no new visit. DRAINING: nothing was changed yet. COPYING: the server stops.
 * CHANGING: the copy of the database is complete, and from here an interrupted update is rolled back.
 */
export const UnderWaySchema = z.strictObject({
  id,
  from: version,
  to: version,
  phase: z.enum(['DRAINING', 'COPYING', 'CHANGING']),
})
export type UnderWay = z.infer<typeof UnderWaySchema>

export interface PackageFacts {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly installedKilobytes: number
}

interface Machine {
  readonly installedVersion: string
  readonly architecture: string
  readonly freeBytes: number
  readonly databaseBytes: number
}

/** Null: the release may be installed. The manifest was verified, and the package has its size and hash. */
export function judgeRelease(
  manifest: ReleaseManifest,
  found: PackageFacts,
  machine: Machine,
): Reason | null {
  const { installedVersion, architecture, freeBytes } = machine
  if (
    found.name !== 'counterproof' ||
    found.version !== manifest.version ||
    found.architecture !== manifest.architecture
  )
    return 'PACKAGE_FOREIGN'
  if (manifest.architecture !== architecture) return 'OTHER_ARCHITECTURE'
  if (compareDebianVersions(manifest.version, installedVersion) <= 0) return 'NOT_NEWER'
  if (compareDebianVersions(installedVersion, manifest.minimumFrom) < 0) return 'FROM_TOO_OLD'
  return freeBytes < computeNeededBytes(found, machine) ? 'NO_SPACE' : null
}

/** dpkg keeps the old files until the new ones are there; the installed version may have to be packed for a roll back. */
function computeNeededBytes({ installedKilobytes }: PackageFacts, { databaseBytes }: Machine): number {
  return 2 * installedKilobytes * 1024 + 2 * databaseBytes
}

const HealthReport = z.object({
  version: z.string(),
  components: z.record(z.string(), z.object({ status: z.string() })),
})
/** Parts that depend on the code alone. A camera without power is no fault of the new version. */
const DECISIVE_PARTS = ['database', 'vision', 'jobs', 'audit'] as const

/** `report`: the answer of GET /healthcheck, or anything else that answered there. */
export function isHealthy(report: unknown, expectedVersion: string): boolean {
  const parsed = HealthReport.safeParse(report)
  if (!parsed.success || parsed.data.version !== expectedVersion) return false
  const { components } = parsed.data
  return DECISIVE_PARTS.every((name) => components[name] !== undefined && components[name].status !== 'DOWN')
}

/** Who may write the keys decides which code root installs. */
export function isWrittenByRootAlone({
  uid,
  mode,
}: {
  readonly uid: number
  readonly mode: number
}): boolean {
  return uid === 0 && (mode & 0o022) === 0
}
