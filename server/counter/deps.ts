/** What every part of the console is given: the appliance, and where the console is served. */
import type { BrandView } from '../brand/contract.ts'
import type { UploadBudget } from '../api/upload-budget.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Journey } from '../kiosk/contract/journey.ts'
import type { Log } from '../log.ts'
import type { CameraTestLimits } from '../proofing/camera-test.ts'
import type { Evidence } from '../proofing/evidence.ts'
import type { Caller } from '../proofing/types.ts'
import type { Author } from '../store/events.ts'
import type { SettingsDocuments } from '../settings/documents.ts'
import type { Store } from '../store/open.ts'
import type { Workflows } from '../workflows/index.ts'
import type { JoinAnswer, JoinBody } from './contract/sync.ts'

export interface CounterDeps {
  readonly ctx: Context
  readonly store: Store
  readonly workflows: Workflows
  readonly clock: Clock
  readonly newId: () => string
  readonly log: Log
  readonly config: Config
  /** Folder of the built console: index.html and what it loads. */
  readonly screensDir: string
  /** Port of this machine's own listener; known once it listens. */
  readonly localPort: () => number
  /** Names this server may be called by, without port. */
  readonly allowedHosts: readonly string[]
  /**
   * On whose behalf the console calls the workflows: the application of the console, with the reach of the whole tenant. What
   * each member of staff may do with it is decided by role.
   */
  readonly caller: Pick<Caller, 'tenantId' | 'applicationId' | 'role' | 'reach'>
  /** Shared by everything of this server that reads bodies. */
  readonly uploads: UploadBudget
  /** Whose face the console wears. */
  readonly brand?: BrandView | undefined
  /** Of the kiosk: the counter asks for the same consents, and calls the same level confirmed. */
  readonly journey?: Journey
  /** What an administrator may change here. */
  readonly settings: SettingsDocuments
  /** Texts of the kiosk by key, in English, and the languages that it has. */
  readonly kioskTexts: () => {
    readonly texts: Readonly<Record<string, string>>
    readonly languages: readonly string[]
  }
  /** What a picture of a camera has to be like. */
  readonly cameraLimits: CameraTestLimits
  /** Joins a central service; a refusal is an answer, not an error. */
  readonly joinCentre: (input: JoinBody, author: Author) => Promise<JoinAnswer>
  /** What can be done better about a portrait that could not be used, as the kiosk tells it; none without it. */
  readonly portraitGuidance?: (portrait: Evidence) => readonly string[]
}
