/** Opens the connectors to external services from the configuration, with secrets from files. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from './clock.ts'
import type { CallbackHeaders } from './connectors/biometrics/biometric-server.ts'
import type { AdjudicationRules } from './proofing/adjudication-rules.ts'
import { loadAdjudicationRules } from './config/adjudication.ts'
import { loadCameraLimits } from './config/cameras.ts'
import { measureCameraPicture } from './workflows/capture/camera-look.ts'
import { loadAddressFormats } from './config/address-formats.ts'
import { loadIssuerParticipation } from './config/issuer-participation.ts'
import { CONFIG_FILE, type Config } from './config/config.ts'
import { listFileProblems } from './config/named-files.ts'
import { readSecretFile } from './config/secret-file.ts'
import { readServiceSettings } from './config/service-options.ts'
import { readCarrierSettings } from './config/sms.ts'
import { readMailServerSettings } from './config/smtp.ts'
import { readVoiceSettings } from './config/voice.ts'
import {
  combineAddressRegisters,
  type AddressRegisters,
} from './connectors/address-register/address-registers.ts'
import { openCardOwnership, type CardOwnership } from './connectors/card-ownership/card-ownership.ts'
import { openAddressSource } from './connectors/address-register/address-source.ts'
import { openAttributeSource } from './connectors/bureau/attribute-source.ts'
import { combineBureaus, type Bureaus } from './connectors/bureau/bureaus.ts'
import { requireDeviceName } from './connectors/camera/device-name.ts'
import { openDocumentCamera, type DocumentCamera } from './connectors/camera/document-camera.ts'
import { isSignedBy, parseCallbackSecrets } from './connectors/biometrics/callback.ts'
import { openBiometricServer, type BiometricServer } from './connectors/biometrics/biometric-server.ts'
import {
  openDocumentRegister,
  type DocumentStatusRegister,
} from './connectors/document-status/document-register.ts'
import { openFraudRegister, type FraudRegister } from './connectors/fraud-register/fraud-register.ts'
import { openGenericSource } from './connectors/issuer/generic-source.ts'
import { combineSources, type IssuingSources } from './connectors/issuer/issuing-sources.ts'
import { openDocumentVerification } from './connectors/issuer-au/document-verification.ts'
import { openLicenceVerification } from './connectors/issuer-us/licence-verification.ts'
import { openCamaraOperator } from './connectors/operator/camara-operator.ts'
import type { MobileOperator } from './connectors/operator/operator.ts'
import { unusableSetting } from './connectors/service/check-settings.ts'
import type { Carrier } from './connectors/carrier.ts'
import { openSmsCarrier } from './connectors/sms/carrier.ts'
import { openMailServer } from './connectors/smtp/mail-server.ts'
import { openVoiceGateway, type VoiceGateway } from './connectors/voice/voice-gateway.ts'
import { openTimestamper } from './connectors/timestamp/http-timestamper.ts'
import type { Timestamper } from './connectors/timestamp/timestamper.ts'
import type { Adjudication } from './context.ts'
import { AppError, type FieldProblem } from './errors.ts'
import { createSessionRecorder, type SessionRecorder } from './live/session-recording.ts'
import { openReaders, type ChipReaders } from './chip-reader/readers.ts'
import type { Log } from './log.ts'
import type { Store } from './store/open.ts'
import type { Vision } from './vision/protocol.ts'

/** Throws `configuration_invalid` if the file is missing, is not a picture or shows a face. */
export async function loadEmptyScene(
  { dataDir, liveness }: Config,
  vision: Vision,
): Promise<Uint8Array | null> {
  const file = liveness.emptySceneFile
  if (file === undefined) return null
  const refused = (reason: string, cause?: unknown) =>
    new AppError('configuration_invalid', { field: 'liveness.emptySceneFile', reason }, { cause })
  try {
    const image = readFileSync(resolve(dataDir, file))
    const { faces } = await vision.measurePortrait({ image })
    if (faces.length > 0) throw refused('face_in_empty_scene')
    return image
  } catch (cause) {
    // The face models are not usable. The appliance starts, and the health report shows the reason.
    if (cause instanceof AppError && cause.details.reason === 'model_refused') return null
    throw cause instanceof AppError ? cause : refused('no_picture', cause)
  }
}

/** Two applicants in succession wait in vain at most, because each question is tried three times. */
const BREAKER = { failures: 5, pauseMs: 30_000 }

/**
 * Opens every service that a workflow asks. Throws `configuration_invalid` with the problems of all of them, and of every file that
 * an option of another section names.
 */
export function openServices(config: Config, clock: Clock) {
  const problems: FieldProblem[] = [...listFileProblems(config, config.dataDir)]
  const open = <T>(make: () => T): T | null => {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const isNew = ({ field }: FieldProblem) => problems.every((problem) => problem.field !== field)
      problems.push(...error.problems.filter(isNew))
      return null
    }
  }
  const services = {
    sms: open(() => openSms(config, clock)),
    smtp: open(() => openMail(config, clock)),
    voice: open(() => openVoice(config, clock)),
    operator: open(() => openOperator(config, clock)),
    biometrics: open(() => openBiometrics(config, clock)),
    documentRegister: open(() => openRegister(config, clock)),
    fraudRegister: open(() => openKnownFraud(config, clock)),
    issuers: open(() => openIssuers(config, clock)),
    bureaus: open(() => openBureaus(config, clock)),
    addressRegisters: open(() => openAddressRegisters(config, clock)),
    cardOwnership: open(() => openCards(config, clock)),
    timestamper: open(() => openTimestamps(config)),
  }
  const { sms, smtp, voice, issuers, bureaus, addressRegisters } = services
  if (problems.length === 0 && sms && smtp && voice && issuers && bureaus && addressRegisters)
    return { ...services, sms, smtp, voice, issuers, bureaus, addressRegisters }
  for (const opened of Object.values(services)) if (opened && 'close' in opened) opened.close()
  const [{ field = CONFIG_FILE }, ...more] = problems
  throw new AppError('configuration_invalid', more.length > 0 ? { file: CONFIG_FILE } : { field }, {
    problems,
  })
}

/** Closes what `openServices` opened. */
export function closeServices({
  timestamper: _,
  ...services
}: Partial<ReturnType<typeof openServices>>): void {
  for (const service of Object.values(services)) service?.close()
}

export function openSessionRecorder({ dataDir, liveness }: Config, log: Log): SessionRecorder | null {
  if (liveness.recordingsDir === undefined) return null
  log.warn({}, 'portrait sessions are recorded without encryption, because liveness.recordingsDir is set')
  return createSessionRecorder(resolve(dataDir, liveness.recordingsDir))
}

function openMail({ connectors, dataDir }: Config, clock: Clock): Carrier {
  const { smtp } = connectors
  return openMailServer(smtp && readMailServerSettings(smtp, dataDir), clock)
}

function openVoice({ connectors, dataDir }: Config, clock: Clock): VoiceGateway {
  const { voice } = connectors
  return openVoiceGateway(voice && readVoiceSettings(voice, dataDir), clock)
}

function openSms({ connectors, dataDir }: Config, clock: Clock): Carrier {
  const { sms } = connectors
  return openSmsCarrier(sms && readCarrierSettings(sms, dataDir), clock)
}

function openOperator({ connectors, dataDir }: Config, clock: Clock): MobileOperator | null {
  const { operator } = connectors
  if (!operator) return null
  const { matchPath, simSwapPath, simSwapHours, sends, askAgainMinutes } = operator
  const settings = readServiceSettings(operator, dataDir, 'connectors.operator')
  return openCamaraOperator(
    { ...settings, breaker: BREAKER, matchPath, simSwapPath, simSwapHours, sends, askAgainMinutes },
    clock,
  )
}

function openBiometrics({ connectors, dataDir, uploads }: Config, clock: Clock): BiometricServer | null {
  const { biometrics } = connectors
  if (!biometrics) return null
  const section = 'connectors.biometrics'
  const { callbackSecretFile, livenessTypes, livenessStops, publicUrl } = biometrics
  return openBiometricServer(
    {
      ...readServiceSettings(biometrics, dataDir, section),
      callbackSecrets: readSecretFile(dataDir, callbackSecretFile, `${section}.callbackSecretFile`),
      livenessTypes,
      livenessStops,
      publicUrl,
      largestPictureBytes: uploads.maxFileBytes,
    },
    clock,
  )
}

function openRegister({ connectors, dataDir }: Config, clock: Clock): DocumentStatusRegister | null {
  const { documentStatus } = connectors
  if (!documentStatus) return null
  const { authoritative, coversDeaths } = documentStatus
  const settings = readServiceSettings(documentStatus, dataDir, 'connectors.documentStatus')
  return openDocumentRegister({ ...settings, authoritative, coversDeaths }, clock)
}

function openKnownFraud({ connectors, dataDir }: Config, clock: Clock): FraudRegister | null {
  const { fraudRegister } = connectors
  if (!fraudRegister) return null
  const settings = readServiceSettings(fraudRegister, dataDir, 'connectors.fraudRegister')
  return openFraudRegister({ ...settings, coversDeaths: fraudRegister.coversDeaths }, clock)
}

function openIssuers({ connectors, dataDir }: Config, clock: Clock): IssuingSources {
  const participation = loadIssuerParticipation()
  const { issuerAu, issuerUs } = connectors
  const sources = connectors.issuers.map((issuer, index) => {
    const section = `connectors.issuers.${index}`
    const { id, covers, sends, needs, askAgainMinutes } = issuer
    const settings = {
      ...readSignedSettings(issuer, dataDir, section),
      id,
      covers,
      sends,
      needs,
      askAgainMinutes,
    }
    return openGenericSource(settings, section, clock)
  })
  if (issuerAu) {
    const { agencyCode, documentTypes, askAgainMinutes } = issuerAu
    const service = { ...readServiceSettings(issuerAu, dataDir, 'connectors.issuerAu'), breaker: BREAKER }
    const settings = { ...service, agencyCode, documentTypes, askAgainMinutes }
    sources.push(openDocumentVerification(settings, participation, clock))
  }
  if (issuerUs) {
    const { protocol, originatorId, governmentUser, sends, askAgainMinutes } = issuerUs
    const service = { ...readServiceSettings(issuerUs, dataDir, 'connectors.issuerUs'), breaker: BREAKER }
    const settings = { ...service, protocol, originatorId, governmentUser, sends, askAgainMinutes }
    sources.push(openLicenceVerification(settings, participation, clock))
  }
  return combineSources(sources, participation)
}

function openBureaus({ connectors, dataDir }: Config, clock: Clock): Bureaus {
  return combineBureaus(
    connectors.bureaus.map((bureau, index) => {
      const section = `connectors.bureaus.${index}`
      const { id, countries, sends, authoritative, askAgainMinutes } = bureau
      const settings = { ...readSignedSettings(bureau, dataDir, section), id }
      return openAttributeSource(
        { ...settings, countries, sends, authoritative, askAgainMinutes },
        section,
        clock,
      )
    }),
  )
}

function openAddressRegisters({ connectors, dataDir }: Config, clock: Clock): AddressRegisters {
  const sources = connectors.addressRegisters.map((register, index) => {
    const section = `connectors.addressRegisters.${index}`
    const { id, countries, sends, authoritative, askAgainMinutes } = register
    const settings = { ...readSignedSettings(register, dataDir, section), id }
    return openAddressSource(
      { ...settings, countries, sends, authoritative, askAgainMinutes },
      section,
      clock,
    )
  })
  return combineAddressRegisters(sources, loadAddressFormats())
}

function openCards({ connectors, dataDir }: Config, clock: Clock): CardOwnership | null {
  const { cardOwnership } = connectors
  if (!cardOwnership) return null
  return openCardOwnership(readSignedSettings(cardOwnership, dataDir, 'connectors.cardOwnership'), clock)
}

type SignedService = NonNullable<Config['connectors']['cardOwnership']>

function readSignedSettings(service: Omit<SignedService, 'name'>, dataDir: string, section: string) {
  const { keyId, signingKeyFile } = service
  return {
    ...readServiceSettings(service, dataDir, section),
    breaker: BREAKER,
    keyId,
    signingKey: readSecretFile(dataDir, signingKeyFile, `${section}.signingKeyFile`),
  }
}

function openTimestamps({ signing, dataDir }: Config): Timestamper | null {
  const { timestamp } = signing
  if (!timestamp) return null
  const settings = readServiceSettings(timestamp, dataDir, 'signing.timestamp')
  return openTimestamper({ ...settings, required: timestamp.required })
}

/** Small enough for two frames a second, large enough to place a document. */
const PREVIEW = { widthPx: 640, heightPx: 480, skipFrames: 1, delaySeconds: 0 } as const

/** Throws `configuration_invalid` if a file replaces the camera although the tenant is not a test tenant. Null: none is named. */
export function readCameraDevice({ cameras: { document }, tenant }: Config) {
  const field = 'cameras.document.device'
  const device = document?.device === undefined ? null : requireDeviceName(document.device, field)
  if (device && device.kind !== 'video' && tenant.mode !== 'test')
    throw unusableSetting(field, 'a file or TEST in place of a camera is for a tenant in test mode alone')
  return device
}

/** Throws as `readCameraDevice` does. */
export function openCamera(config: Config, vision: Vision, clock: Clock): DocumentCamera {
  const { document, face } = config.cameras
  const device = readCameraDevice(config)
  const shot = document && { ...document, maxBytes: config.uploads.maxFileBytes }
  return openDocumentCamera({
    settings: shot ? { wish: { device, pin: shot.pin }, shot, preview: { ...shot, ...PREVIEW } } : null,
    facePin: face?.pin,
    limits: loadCameraLimits(),
    look: (image) => measureCameraPicture(vision, image),
    clock,
  })
}

/** The readers of chips, also for a command on a machine whose appliance does not use them. */
export function openChipReaders({ readers, vision }: Config, log: Pick<Log, 'info'>): Promise<ChipReaders> {
  const { socket, name = null, inspectionSeconds } = readers
  return openReaders({
    socketPath: socket,
    name,
    inspectionMs: inspectionSeconds * 1000,
    sandbox: vision.sandbox,
    log: (event, details) => {
      log.info(details, event)
    },
  })
}

/** Returns the identity providers with their secrets. */
export function registeredProviders(config: Config) {
  const { providers, timeoutMs } = config.connectors.oidc
  return providers.map((provider, index) => {
    const field = `connectors.oidc.providers.${index}.clientSecretFile`
    const file = provider.clientSecretFile
    const clientSecret = file === undefined ? null : readSecretFile(config.dataDir, file, field)
    return { ...provider, timeoutMs, clientSecret }
  })
}

/** Returns the OpenID provider of staff with its secret; null: none is configured. Throws `configuration_invalid`. */
export function readStaffProvider({ counter, dataDir }: Pick<Config, 'counter' | 'dataDir'>) {
  if (!counter.oidc) return null
  const { clientSecretFile: file, ...rest } = counter.oidc
  const field = 'counter.oidc.clientSecretFile'
  return { ...rest, clientSecret: file === undefined ? null : readSecretFile(dataDir, file, field) }
}

/** Secrets of the answers of the adjudication service; null without one. Throws `configuration_invalid`. */
export function readCallbackSecrets({ connectors, dataDir }: Pick<Config, 'connectors' | 'dataDir'>) {
  const { adjudication: callbacks } = connectors
  if (!callbacks) return null
  const field = 'connectors.adjudication.callbackSecretFile'
  const secrets = parseCallbackSecrets(readSecretFile(dataDir, callbacks.callbackSecretFile, field))
  if (secrets) return secrets
  throw unusableSetting(field, 'the file must hold whsec_ and 24 to 64 bytes in base64, one secret a line')
}

/** Loads the catalogue of reasons and the adjudication service. Throws `configuration_invalid`. */
export function openAdjudication(
  { tenant, connectors, dataDir }: Config,
  store: Store,
  clock: Clock,
  lists: { readonly reasons: AdjudicationRules } = { reasons: loadAdjudicationRules() },
): Adjudication {
  const { service } = tenant.adjudication
  const serviceApplicationId = service
    ? store.apiKeys.ensureApplication(tenant.id, service.application, clock.now())
    : null
  // The catalogue may be changed at the counter.
  const adjudication = {
    get rules() {
      return lists.reasons
    },
    serviceApplicationId,
  }
  const secrets = readCallbackSecrets({ connectors, dataDir })
  if (!secrets) return Object.assign(adjudication, { isSignedAnswer: null })
  return Object.assign(adjudication, {
    isSignedAnswer: (headers: CallbackHeaders, body: Uint8Array) =>
      isSignedBy(secrets, headers, body, clock.now()),
  })
}
