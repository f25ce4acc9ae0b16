/** The manifests of all connectors. */
import type { ConnectorId } from '../proofing/disclosure.ts'
import { addressRegister } from './address-register/manifest.ts'
import { adjudication } from './adjudication/manifest.ts'
import { biometrics } from './biometrics/manifest.ts'
import { bureau } from './bureau/manifest.ts'
import { camera } from './camera/manifest.ts'
import { cardOwnership } from './card-ownership/manifest.ts'
import { documentStatus } from './document-status/manifest.ts'
import { engines } from './engines/manifest.ts'
import { fraudRegister } from './fraud-register/manifest.ts'
import { issuer } from './issuer/manifest.ts'
import { issuerAu } from './issuer-au/manifest.ts'
import { issuerUs } from './issuer-us/manifest.ts'
import type { ConnectorManifest } from './manifest.ts'
import { oidc } from './oidc/manifest.ts'
import { operator } from './operator/manifest.ts'
import { sms } from './sms/manifest.ts'
import { smtp } from './smtp/manifest.ts'
import { timestamp } from './timestamp/manifest.ts'
import { voice } from './voice/manifest.ts'

export const MANIFESTS: Readonly<Record<ConnectorId, ConnectorManifest>> = {
  'address-register': addressRegister,
  adjudication,
  biometrics,
  bureau,
  camera,
  'card-ownership': cardOwnership,
  'document-status': documentStatus,
  engines,
  'fraud-register': fraudRegister,
  issuer,
  'issuer-au': issuerAu,
  'issuer-us': issuerUs,
  oidc,
  operator,
  sms,
  smtp,
  timestamp,
  voice,
}
