/** The output of `verify-proof`: one sentence for every fact and every failure. */
import type { ValidReport, VerificationReport } from '../proof/verify.ts'
import type { Reassessment } from '../reassess/reassess.ts'

/**
 * In the first line, before id and level: made in test mode, with a specimen document, or with a simulated
 * camera.
 */
const TEST = ' (TEST: it proves nothing about a real person)'

export function describeReport(report: VerificationReport): string {
  if (!report.valid) return `proof NOT valid:\n${problemLines(report)}`
  const facts = describeFacts(report).map((fact) => `  ${fact}\n`)
  return `${verdict(report)}\n${facts.join('')}`
}

/** Describes the report on one of several archives. */
export function describeReportInOneLine(file: string, report: VerificationReport): string {
  if (!report.valid) return `${shown(file)}: proof NOT valid:\n${problemLines(report)}`
  return `${shown(file)}: ${verdict(report)}\n`
}

/** Empty if it was not requested. */
export function describeReassessment(reassessment: Reassessment | undefined): string {
  if (reassessment === undefined) return ''
  if (!reassessment.possible) return `  its level could NOT be derived again: ${shown(reassessment.reason)}\n`
  const { agrees, policy, levelOfAssurance, profile, differences } = reassessment
  const by = `${levelOfAssurance}${profile === null ? '' : ` by its profile ${profile}`}`
  const head = `  The policy ${policy.id} ${policy.version} gives its content ${by}`
  if (agrees) return `${shown(`${head}: the archive says the same.`)}\n`
  const lines = differences.map(({ what, evidenceId, claimed, derived }) => {
    const about = evidenceId === undefined ? what : `${what} of ${evidenceId}`
    return `    ${shown(`${about}: the archive says ${claimed}, its content gives ${derived}`)}\n`
  })
  return `${shown(head)}. The archive does NOT agree with itself:\n${lines.join('')}`
}

export function summary(verified: number, refused: number): string {
  const total = verified + refused
  const archives = total === 1 ? '1 archive' : `${total} archives`
  return `${archives}: ${verified} verified, ${refused} NOT valid\n`
}

function verdict({ proofId, levelOfAssurance, test }: ValidReport): string {
  return `proof verified${test ? TEST : ''}: ${shown(proofId)} ${shown(levelOfAssurance)}`
}

function problemLines({ problems }: VerificationReport): string {
  return problems.map(({ code, message }) => `  ${message} [${code}]\n`).join('')
}

function describeFacts(report: ValidReport): string[] {
  const { audit, certificate, correlationId, tenantId, tenantUsed, timestamp } = report
  const tenant = tenantUsed === null || tenantUsed === tenantId ? tenantId : `${tenantId} (${tenantUsed})`
  return [
    `Sealed at ${report.sealedAt} UTC for tenant ${tenant}, component version ${report.componentVersion}.`,
    `Signed by the key ${report.signedBy}.`,
    ...(certificate
      ? [`Its certificate is that of ${certificate.subject}, issued by ${certificate.issuer}.`]
      : []),
    ...(timestamp ? [`The signature existed at ${timestamp.time}, says ${timestamp.authority}.`] : []),
    ...(correlationId === null ? [] : [`The relying service calls the case ${correlationId}.`]),
    ...(report.previousProofId === null
      ? []
      : [`It continues the proof ${report.previousProofId} of the same identity.`]),
    ...(audit ? [`The audit log of the appliance ${audit.applianceId} had ${audit.seq} entries then.`] : []),
    ...report.notes,
  ].map(shown)
}

/** Names come from a signed file, but a terminal interprets control and direction characters. */
function shown(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}
