/** `sync enrol`, with and without a network, and `sync leave`: the central service of this kiosk. */
import { AppError } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { writeFileWhole } from '../files/write-file.ts'
import { openToken } from '../keys/token.ts'
import { EnrolmentAnswerSchema } from '../protocol/wire.ts'
import { beginEnrolment, completeEnrolment, leaveCentralService, type Joined } from '../sync/enrol.ts'
import { joinCentralService } from '../sync/join.ts'
import { checkCentralUrl } from '../sync/transport.ts'
import { openSigner } from '../workflows/proof/open-signer.ts'
import type { Call, Shown } from './sync-work.ts'
import { UsageError } from './usage.ts'

/** A hundred times the size of an answer. */
const LARGEST_ANSWER = 1024 * 1024

export async function enrol(call: Call): Promise<Shown> {
  const { url, code, 'insecure-http': allowsInsecureHttp } = call.values
  if (!url || !code) throw new UsageError('enrol needs --url URL and --code CODE')
  checkCentralUrl(url, allowsInsecureHttp)
  await ensureProofKey(call)
  const { name } = call.config.tenant
  return joined(await joinCentralService(call, { url, code, name, allowsInsecureHttp }))
}

/**
 * An appliance that was never started has no signing key yet, but the central service needs its public key.
 */
async function ensureProofKey({ store, config, clock }: Call): Promise<void> {
  if (store.signingKeys.publicKeys().length > 0) return
  const options = { source: config.signing.source, openToken: () => openToken(config) }
  const signer = await openSigner(store, clock, options)
  signer.close()
}

export async function requestByHand(call: Call): Promise<Shown> {
  const { values } = call
  if (!values.code || !values.out) throw new UsageError('enrol-request needs --code CODE and --out FILE')
  await ensureProofKey(call)
  const { name } = call.config.tenant
  const request = await beginEnrolment(call, { code: values.code, centralUrl: '', name })
  writeFileWhole(values.out, `${JSON.stringify(request, null, 2)}\n`)
  return { json: { request: values.out }, words: `Hand ${values.out} to the head office; the code is in it.` }
}

export async function completeByHand(call: Call): Promise<Shown> {
  if (!call.argument) throw new UsageError('enrol-complete needs the FILE of the head office')
  const answer = EnrolmentAnswerSchema.safeParse(await readJson(call.argument))
  if (!answer.success)
    throw new AppError('enrolment_refused', { reason: 'the file is no answer of a central service' })
  return joined(await completeEnrolment(call, answer.data))
}

function joined({ centreId, tenantId, queued }: Joined): Shown {
  return {
    json: { centreId, tenantId, queued },
    words: `Joined the central service ${centreId}, tenant ${tenantId}. Proofs from before that are sent now: ${queued}.`,
  }
}

export function leave(call: Call): Shown {
  const waiting = leaveCentralService(call, call.values.force)
  return {
    json: { left: true, waiting },
    words: `Left the central service. Proofs that stay here unsent: ${waiting}.`,
  }
}

/** Null for invalid JSON. Throws for a file that is missing or refused. */
async function readJson(path: string): Promise<unknown> {
  const content = await readGivenFile(path, { mostBytes: LARGEST_ANSWER })
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    return null
  }
}
