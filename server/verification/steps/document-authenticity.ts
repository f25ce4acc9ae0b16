/**
 * Checks how the document was made and whether its contents are consistent: one check per authenticity
 * signal, and one for their combination. Thresholds and error rates are data.
 */
import {
  AUTHENTICITY_CHECKS,
  combineSignals,
  signalOutcome,
  unrepairedOutcome,
  type SignalOutcome,
} from '../../proofing/authenticity.ts'
import { toAlpha3 } from '../../proofing/country-codes.ts'
import {
  datePlausibility,
  parseIsoDate,
  type DateContradiction,
  type DocumentDates,
} from '../../proofing/date-plausibility.ts'
import type { DocumentIdentifier } from '../../proofing/document-identifier.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import type { PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import { AUTHENTICITY_SIGNALS, type AuthenticitySignalName, type MrzReading } from '../../vision/protocol.ts'
import { loadAuthenticityLimits, type AuthenticityLimits } from '../authenticity-limits.ts'
import type { ReadDocument } from '../read-document.ts'
import { documentStep, type StepTools } from '../subject.ts'
import { unrepairedReading } from '../unrepaired-reading.ts'
import { visualZoneMatch } from './visual-zone.ts'

let loaded: AuthenticityLimits | null = null

export const documentAuthenticity = documentStep(
  'document-authenticity',
  async ({ presentedToOthers }, tools) => {
    const limits = (loaded ??= loadAuthenticityLimits())
    const document = await tools.document()
    const measured = await tools.authenticity()
    const optical = AUTHENTICITY_SIGNALS.map((name) => opticalFinding(name, measured, limits))
    const findings = [
      ...optical,
      dateFinding(document, tools, limits),
      ...(document.mrz ? [unrepairedFinding(document.mrz.reading, limits)] : []),
    ]
    const found = buildKey(document, limits.surePrint)
    const key = found?.number ? found : null
    return {
      findings: [
        ...findings,
        ...presentedFinding(key ? presentedToOthers?.(key) : undefined),
        combineSignals([...findings, visualZoneMatch(document)].flatMap(toSignal), limits.combination),
      ],
      models: measured.flatMap(({ models }) => models),
      ...(key ? { documentIdentifier: key } : {}),
    }
  },
)

/** Counts the findings of other checks without reporting them again. */
function toSignal({ check, outcome }: Finding): SignalOutcome[] {
  const known = AUTHENTICITY_CHECKS.find((name) => name === check)
  return known ? [{ check: known, outcome }] : []
}

type Measured = Awaited<ReturnType<StepTools['authenticity']>>

/** Uses the worst score of all sides on which the signal could be measured. */
function opticalFinding(check: AuthenticitySignalName, sides: Measured, limits: AuthenticityLimits): Finding {
  const scores = sides.flatMap(({ signals }) =>
    signals.flatMap(({ signal, score }) => (signal === check && score !== null ? [score] : [])),
  )
  const threshold = limits.thresholds[check]
  const score = scores.length === 0 ? null : Math.max(...scores)
  const rates = limits.measured[check]
  return {
    check,
    outcome: signalOutcome(score, threshold),
    measured: {
      threshold,
      ...(score === null ? {} : { score }),
      ...(rates ? { falseAlarmRate: rates.falseAlarms.rate, missRate: rates.misses.rate } : {}),
    },
  }
}

function dateFinding(document: ReadDocument, tools: StepTools, limits: AuthenticityLimits): Finding {
  const { mrz, licence, page } = document
  const type = mrz?.facts.documentClass ?? licence?.facts.kind ?? page.kind
  const dates = collectDates(document, limits.surePrint)
  const { outcome, contradictions, datesKnown } = datePlausibility(
    dates,
    limits.dates(type, listIssuers(document), dates, tools.now),
    tools.span,
  )
  const fields = [...new Set(contradictions.map((name) => FIELD_OF[name]))]
  return {
    check: 'DATE_PLAUSIBILITY',
    outcome,
    measured: { datesKnown, contradictions: contradictions.join('+') || 'none' },
    ...(fields.length === 0
      ? {}
      : { errors: fields.map((field) => resultError('1599', { message: IMPLAUSIBLE, field })) }),
  }
}

const IMPLAUSIBLE =
  'a date on the document contradicts another date, today, or the validity period of its kind: an officer must compare them'

/** The date that a forger is more likely to have changed: birth and expiry have check digits. */
const FIELD_OF: Readonly<Record<DateContradiction, PageFieldName>> = {
  BORN_IN_FUTURE: 'birthDate',
  OLDER_THAN_ANYBODY: 'birthDate',
  ISSUED_IN_FUTURE: 'issueDate',
  ISSUED_BEFORE_BIRTH: 'issueDate',
  ISSUED_AFTER_EXPIRY: 'issueDate',
  ISSUED_TO_CHILD: 'issueDate',
  VALID_TOO_LONG: 'issueDate',
  EXPIRES_TOO_LATE: 'expiryDate',
}

function listIssuers({ mrz, licence, page }: ReadDocument): readonly string[] {
  const country = mrz ? toAlpha3(mrz.facts.issuingState) : (licence?.facts.country ?? page.country)
  const state = licence?.facts.jurisdiction ?? page.state
  return country === null ? [] : [country, ...(state ? [`${country}-${state}`] : [])]
}

/** Precedence: MRZ, barcode, VIZ (most reliable first). */
function collectDates({ mrz, licence, page }: ReadDocument, surePrint: number): DocumentDates {
  const printed = (name: PageFieldName) => {
    const field = page.fields.find((found) => found.field === name && found.confidence >= surePrint)
    return parseIsoDate(field?.value)
  }
  return {
    birth: mrz?.facts.birthDate ?? parseIsoDate(licence?.facts.birthDate) ?? printed('birthDate'),
    issue: parseIsoDate(licence?.facts.issueDate) ?? printed('issueDate'),
    expiry: mrz?.facts.expiryDate ?? parseIsoDate(licence?.facts.expiryDate) ?? printed('expiryDate'),
  }
}

function unrepairedFinding(reading: MrzReading, { sureCharacter }: AuthenticityLimits): Finding {
  const facts = unrepairedReading(reading)
  const { surestRepaired, ...numbers } = facts
  return {
    check: 'MRZ_UNREPAIRED_CHECK_DIGITS',
    outcome: unrepairedOutcome(facts, sureCharacter),
    measured: { ...numbers, ...(surestRepaired === null ? {} : { surestRepaired }) },
  }
}

/** Precedence: MRZ, barcode, VIZ. Returns null if no document number was read reliably. */
function buildKey({ mrz, licence, page }: ReadDocument, surePrint: number): DocumentIdentifier | null {
  if (mrz) {
    const { documentClass, issuingState, documentNumber } = mrz.facts
    return { type: documentClass ?? '', issuer: issuingState, number: documentNumber }
  }
  if (licence) {
    const { kind, country, jurisdiction, documentNumber } = licence.facts
    return { type: kind, issuer: country + (jurisdiction ?? ''), number: documentNumber }
  }
  const number = page.fields.find(
    (field) => field.field === 'documentNumber' && field.confidence >= surePrint,
  )
  if (!number || !page.kind || !page.country) return null
  return { type: page.kind, issuer: page.country + (page.state ?? ''), number: number.value }
}

/**
 * Only a hint, because an applicant may return. It says nothing about authenticity, so it is not part of the
 * combination.
 */
function presentedFinding(otherIdentities: number | undefined): Finding[] {
  if (otherIdentities === undefined) return []
  const outcome = otherIdentities > 0 ? 'failed' : 'passed'
  return [{ check: 'DOCUMENT_PRESENTED_TWICE', outcome, measured: { otherIdentities } }]
}
