/** Judges the services outside, the sync with the central service, and the certificates. Pure. */
import type { LastSync } from '../workflows/health/last-sync.ts'
import type { Certificate, CertificateUse, MachineFacts, Peer, PeerOutcome } from './facts.ts'
import { findWorstState, notChecked, ok, warning, wrong, type Finding } from './report.ts'
import { JUDGED_APART, whenMeasured, judgeReported, describeEffect } from './rules-tools.ts'

const DAY_MS = 86_400_000

/** Time to order a certificate in an organisation. */
const EXPIRES_SOON_DAYS = 30

const NOTHING_NEW = 'Nothing new may begin, and proofings under way are not sealed.'

const PEER_WORDS: Readonly<Record<Exclude<PeerOutcome, 'REACHED'>, readonly [what: string, remedy: string]>> =
  {
    NAME_UNKNOWN: ['its name is not known', 'Check the name in config.json and the DNS of this machine.'],
    REFUSED: ['it refuses the connection', 'Check the port in config.json, and that the service runs.'],
    TIMED_OUT: ['it does not answer', 'Check the network, and the firewall for this address.'],
    CERTIFICATE_REFUSED: [
      'its certificate is not trusted',
      'Check the clock and the certificate; name the authority of a private one in caFile.',
    ],
    FAILED: ['the connection fails', 'Check the network and the address.'],
  }

export function judgeNetwork(facts: MachineFacts): readonly Finding[] {
  const down = describeEffect(facts, 'CONNECTOR_DOWN')
  const sync = judgeSync(facts)
  const parts = Object.entries(JUDGED_APART).flatMap(([name, check]) => {
    // A trouble that the database names is said once.
    if (check !== 'network' || (name === 'sync' && findWorstState(sync.map(({ state }) => state)) !== 'OK'))
      return []
    return judgeReported(
      facts,
      name,
      name === 'sync' ? describeEffect(facts, 'OFFLINE_TOO_LONG') : name === 'webhooks' ? null : down,
    )
  })
  const measured = whenMeasured(facts.peers, (peers) =>
    peers.length === 0
      ? sync.length > 0
        ? []
        : [notChecked('config.json names no service outside, and no central service was joined.')]
      : peers.map((peer) => judgePeer(peer, facts)),
  )
  return [...sync, ...measured, ...parts]
}

/** Judges the last known state of the sync. Empty: no central service was joined, and none has stopped this machine. */
function judgeSync({ sync }: MachineFacts): readonly Finding[] {
  return whenMeasured(sync, (last) => {
    if (last?.stop) return [judgeStop(last.stop)]
    if (!last?.isJoined) return []
    const { lastContactAt, failingSince, lastError } = last
    const contact = lastContactAt === null ? 'never' : `at ${new Date(lastContactAt).toISOString()}`
    if (lastError !== null)
      return [
        warning(
          `The central service cannot be reached${failingSince === null ? '' : ` since ${new Date(failingSince).toISOString()}`} (${lastError}); the last contact was ${contact}.`,
          'Proofs wait on this machine. New proofings are refused when too many wait, or wait too long (sync.freeze).',
          'Check the network and ask the head office; npm run sync -- status shows what waits.',
        ),
      ]
    return [ok(`The last contact with the central service was ${contact}.`)]
  })
}

function judgeStop({ since, reason }: NonNullable<LastSync['stop']>): Finding {
  const at = new Date(since).toISOString()
  return reason === 'REVOKED'
    ? wrong(
        `The central service has revoked this kiosk (since ${at}).`,
        NOTHING_NEW,
        'Enrol it again with a new code of the head office: npm run sync -- leave --force, then npm run sync -- enrol',
      )
    : wrong(
        `Another machine uses the identity of this kiosk (since ${at}).`,
        NOTHING_NEW,
        'Follow docs/RUNBOOK.md, "Two machines use the identity of one kiosk".',
      )
}

function judgePeer({ field, place, outcome }: Peer, facts: MachineFacts): Finding {
  if (outcome === 'REACHED') return ok(`${field} can be reached at ${place}. Its credentials were not tried.`)
  const [what, remedy] = PEER_WORDS[outcome]
  const sentence = `${field} cannot be reached at ${place}: ${what}.`
  if (field.startsWith('traces')) return warning(sentence, 'Traces are lost; no proofing waits.', remedy)
  return wrong(sentence, describePeerCost(facts, field), remedy)
}

/** @param field option of config.json */
function describePeerCost(facts: MachineFacts, field: string): string | null {
  if (field.startsWith('signing')) return 'Proofs have no time stamp, or are not sealed if one is required.'
  if (field.startsWith('antifraud')) return describeEffect(facts, 'WATCHLIST_OUTDATED')
  if (field.startsWith('counter')) return 'Officers sign in with their local accounts only.'
  return describeEffect(facts, 'CONNECTOR_DOWN')
}

const CERTIFICATE_COSTS: Readonly<Record<CertificateUse, string>> = {
  listener: 'Browsers and relying services refuse the connection.',
  client: 'The service refuses this appliance, and evidence that needs it stays unverified.',
  authority: 'Certificates of the service are refused, and evidence that needs it stays unverified.',
  signing: 'Verifiers refuse proofs that are signed from then on.',
  peer: 'The appliance does not call the service, and evidence that needs it stays unverified.',
}

const CERTIFICATE_REMEDIES: Readonly<Record<CertificateUse, string>> = {
  listener: 'Replace the file with a new certificate and restart the appliance.',
  client: 'Ask the service for a new certificate and replace the file.',
  authority: 'Ask the service for its new authority and replace the file.',
  signing: 'Certify the key again: npm run signing-keys -- csr, then certify',
  peer: 'Tell the operator of the service.',
}

export function judgeCertificates({ at, certificates }: MachineFacts): readonly Finding[] {
  return whenMeasured(certificates, (all) =>
    all.length === 0
      ? [notChecked('There is no certificate: config.json names none, and no signing key has one.')]
      : all.map((certificate) => judgeCertificate(certificate, at)),
  )
}

function judgeCertificate({ use, name, validFrom, validTo }: Certificate, at: Date): Finding {
  const [cost, remedy] = [CERTIFICATE_COSTS[use], CERTIFICATE_REMEDIES[use]]
  if (!validTo || !validFrom)
    return wrong(`${name} names a file without a readable certificate.`, cost, remedy)
  if (validFrom > at)
    return wrong(`The certificate of ${name} is valid only from ${formatDay(validFrom)}.`, cost, remedy)
  if (validTo <= at)
    return wrong(`The certificate of ${name} expired on ${formatDay(validTo)}.`, cost, remedy)
  const days = Math.floor((validTo.getTime() - at.getTime()) / DAY_MS)
  const what = `The certificate of ${name} expires on ${formatDay(validTo)}, in ${days} day${days === 1 ? '' : 's'}.`
  return days < EXPIRES_SOON_DAYS ? warning(what, cost, remedy) : ok(what)
}

export const formatDay = (at: Date): string => at.toISOString().slice(0, 10)
