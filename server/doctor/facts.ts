/** The measured facts that the rules of the doctor judge. */
import type { ReadersState } from '../chip-reader/readers.ts'
import type { TimeStatement } from '../clock.ts'
import type { AbilityState } from '../proofing/antifraud/faults.ts'
import type { CameraIdentity } from '../proofing/antifraud/device-integrity.ts'
import type { Fault } from '../proofing/assurance/faults.ts'
import type { UpdateResult } from '../updates/rules.ts'
import type { LastSync } from '../workflows/health/last-sync.ts'

/** A fact that could not be measured carries the reason, a sentence. */
export type Measured<T> =
  | { readonly kind: 'measured'; readonly value: T }
  | { readonly kind: 'unmeasured'; readonly reason: string }

export interface MachineFacts {
  readonly at: Date
  /** Problems of config.json and of the files that it names. */
  readonly settingProblems: readonly { readonly field: string; readonly message: string }[]
  /** The health report of the running appliance; null: no server runs on this data folder. */
  readonly health: Measured<Health | null>
  /** The effect of each fault on evidence, by the policy in force. */
  readonly effects: Measured<ReadonlyMap<Fault, Effect>>
  readonly permissions: Measured<Permissions>
  readonly keys: Measured<Keys>
  readonly database: Measured<DatabaseState>
  /** Null: there is no database. */
  readonly time: Measured<KnownTime | null>
  /** Null: there is no database. */
  readonly sync: Measured<LastSync | null>
  readonly models: Measured<Models>
  readonly disks: Measured<readonly Disk[]>
  readonly clock: Measured<MachineClock>
  readonly cameras: Measured<Cameras>
  /** Null: the configuration enables no reader. */
  readonly readers: Measured<ReadersState | null>
  readonly peers: Measured<readonly Peer[]>
  readonly certificates: Measured<readonly Certificate[]>
  readonly sandbox: Measured<{ readonly gap: SandboxGap | null; readonly complaint: string }>
  readonly speech: Measured<{ readonly isInstalled: boolean; readonly modules: readonly string[] }>
  readonly printer: Measured<Printer>
  readonly power: Measured<readonly PowerSupply[]>
  readonly updates: Measured<Updates>
}

export interface Health {
  readonly version: string
  readonly components: Readonly<Record<string, HealthComponent>>
}

export interface HealthComponent {
  readonly status: 'UP' | 'DEGRADED' | 'DOWN'
  readonly detail?: string | undefined
  readonly standing?: 'NOT_SET_UP' | 'NOT_KNOWN' | undefined
}

/** The database as the start judges it. LOST: it is missing or empty beside its keys. NONE: the first start makes it. */
export interface DatabaseState {
  readonly path: string
  readonly kind: 'READY' | 'NONE' | 'LOST' | 'DAMAGED' | 'REFUSED'
  /** Code of SQLite or of the system; null: none. */
  readonly code: string | null
  /** The problem of the identity keys beside it, as a sentence; null: they fit. */
  readonly keysProblem: string | null
}

export interface KnownTime {
  readonly statement: TimeStatement
  /** The clock of the machine at the same moment. */
  readonly wall: Date
}

export interface Effect {
  readonly indicator: string
  readonly families: readonly string[]
  readonly policy: string
  /** The highest level that evidence with the indicator supports; null: the policy does not cap it. */
  readonly highest: string | null
}

export interface Permissions {
  readonly folder: string
  readonly mode: number
  /** The file system takes no writes. */
  readonly isReadOnly: boolean
  /** Folders and database files that their owner, or this user, may not use: name and mode. */
  readonly locked: readonly { readonly name: string; readonly mode: number }[]
  /** Names below the data folder; `keys/` is measured apart. */
  readonly open: readonly string[]
  readonly foreign: readonly string[]
  readonly seen: number
  /** False: the folder has more entries than the doctor looks at. */
  readonly isWhole: boolean
}

export interface Keys {
  readonly source: 'key-file' | 'shell' | 'pkcs11' | null
  readonly hasDatabase: boolean
  /** Place of the master key below the data folder; null: it is not in a file. */
  readonly masterKey: {
    readonly place: string
    readonly isThere: boolean
    /** Why a start refuses it; null: no reason was found. */
    readonly problem: string | null
  } | null
  readonly files: readonly KeyFile[]
  /** Files and folders of keys that this user may not read. */
  readonly closed: readonly string[]
}

export interface KeyFile {
  readonly path: string
  readonly mode: number
  /** True: it belongs neither to the owner of the data folder nor to root. */
  readonly isForeign: boolean
}

export interface Models {
  readonly files: readonly {
    readonly id: string
    readonly pack: 'core' | 'extended'
    readonly path: string
    readonly state: 'ready' | 'missing' | 'refused'
  }[]
  readonly abilities: readonly AbilityState[]
  readonly wantsExtended: boolean
}

export interface Disk {
  readonly use: 'data' | 'backups' | 'keys of the backups'
  readonly path: string
  /** Null: the folder is missing. */
  readonly freeBytes: number | null
  readonly freeFiles: number | null
  readonly isOfData: boolean
  /** New proofings are refused below this. */
  readonly freezeBytes: number
}

export interface MachineClock {
  /** The system says that a time server sets the clock; null: the system tells nothing. */
  readonly isSynchronised: boolean | null
  /** The newest time that the data folder has shown; null: there is no database. */
  readonly newestFileAt: Date | null
}

export interface Cameras {
  /** Cameras that config.json names. */
  readonly named: readonly Camera[]
  /** Number of connected cameras. */
  readonly present: number
}

export interface Camera {
  readonly use: 'document' | 'face'
  readonly pin: CameraIdentity | null
  /** A fault of `connectors/camera/choose.ts`; null: the camera is connected. */
  readonly fault: string | null
}

export type PeerOutcome =
  | 'REACHED'
  | 'NAME_UNKNOWN'
  | 'REFUSED'
  | 'TIMED_OUT'
  | 'CERTIFICATE_REFUSED'
  | 'FAILED'

export interface Peer {
  /** Option of config.json: `connectors.sms`. */
  readonly field: string
  /** Host and port, without credentials and path. */
  readonly place: string
  readonly outcome: PeerOutcome
  readonly validTo: Date | null
}

export type CertificateUse = 'listener' | 'client' | 'authority' | 'signing' | 'peer'

export interface Certificate {
  readonly use: CertificateUse
  readonly name: string
  /** Null: the file is missing or holds no certificate. */
  readonly validFrom: Date | null
  readonly validTo: Date | null
}

export type SandboxGap = 'OFF' | 'NOT_SUPPORTED' | 'NOT_INSTALLED' | 'REFUSED'

export interface Printer {
  /** Null: no default printer is set. */
  readonly name: string | null
  readonly isEnabled: boolean
}

export interface Updates {
  /** The root updater of the package is on this machine. */
  readonly isInstalled: boolean
  /** The configuration lets the central service update this machine. */
  readonly isOffered: boolean
  readonly keys: readonly ReleaseKeyPlace[]
  /** Null: there was no update. */
  readonly last: UpdateResult | 'UNREADABLE' | null
  /** Null: no request waits. */
  readonly requestAgeMs: number | null
  /** Null: no update is under way. */
  readonly underWayAgeMs: number | null
}

/** A release key, or a folder above it. */
export interface ReleaseKeyPlace {
  readonly path: string
  readonly kind: 'FOLDER' | 'KEY' | 'NO_KEY' | 'UNREADABLE'
  /** Only root may write it. */
  readonly isSafe: boolean
}

export interface PowerSupply {
  readonly name: string
  readonly kind: 'MAINS' | 'BATTERY'
  readonly isOnline: boolean | null
  readonly chargePercent: number | null
  readonly isDischarging: boolean
}
