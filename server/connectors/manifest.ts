/** Describes a connector: its purpose, the consents it needs, the checks and codes it gives, and the values that leave the machine. */
import type { ConnectorId, ValueName } from '../proofing/disclosure.ts'
import type { ResultCode } from '../proofing/error-codes.ts'
import type { ConsentType, EvidenceType } from '../proofing/types.ts'

export interface ConnectorManifest {
  readonly id: ConnectorId
  /** Section of the configuration that opens it, such as `connectors.sms`. */
  readonly section: string
  /** Its task; completes the sentence "This connector …". */
  readonly purpose: string
  /** Types of evidence that its answers judge; empty: it judges none. */
  readonly evidenceTypes: readonly EvidenceType[]
  /** Countries in three letters; `CONFIGURED`: those named in the configuration. */
  readonly jurisdictions: 'ANY' | 'CONFIGURED' | readonly string[]
  /** It is not called without these consents. */
  readonly consents: readonly ConsentType[]
  /** Checks that its answers decide; each raises its indicators. */
  readonly checks: readonly string[]
  /** Result codes that its answers and failures give. */
  readonly codes: readonly ResultCode[]
  /** All values that may leave the machine. The configuration may name fewer, and a call sends only what it needs. */
  readonly discloses: readonly ValueName[]
}
