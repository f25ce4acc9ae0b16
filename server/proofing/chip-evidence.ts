/**
 * Decides what the chip of a document means for the document. A chip confirms a document only as a whole: genuine files, checked with
 * lists of today, of the document in the pictures, with a portrait to compare the applicant with, and no protocol that proved a copy.
 * Then NFC_PASSIVE_AUTHENTICATION passes; otherwise the document counts as it did without its chip. Pure.
 */
import type { CheckOutcome, Finding } from './judge.ts'
import type { Measured } from './measures.ts'

/** BSI TR-03135-1 v2.5, table 5.1. */
export const CHIP_VERDICTS = ['successful', 'failed', 'undetermined', 'not_supported', 'aborted'] as const
export type ChipVerdict = (typeof CHIP_VERDICTS)[number]

/**
 * Checks whose failure shows another document, a changed file or a copy. A failure stands over later readings: only a reading that passes
 * the same protocol, or that confirms the document, ends it.
 */
export const STANDING_CHECKS = [
  'NFC_PASSIVE_AUTHENTICATION',
  'NFC_CHIP_AUTHENTICATION',
  'NFC_ACTIVE_AUTHENTICATION',
  'NFC_DATA_MATCH',
] as const
export type StandingCheck = (typeof STANDING_CHECKS)[number]

/** Results of the protocols that run with the chip itself. */
export interface ChipProtocols {
  readonly access: ChipVerdict
  readonly chipAuthentication: ChipVerdict
  readonly activeAuthentication: ChipVerdict
  /** Chip authentication mapping of PACE. */
  readonly mapping: ChipVerdict
}

export interface ChipReading {
  /** READER: a reader of this appliance. FILES: a caller sent files; its statements about the chip itself do not count. */
  readonly source: 'READER' | 'FILES'
  /** Date-time; passive authentication judges validity at this time. */
  readonly readAt: string
  /** Null for FILES. */
  readonly protocols: ChipProtocols | null
  /** Checks that an earlier reading of this chip failed. */
  readonly earlierFailures?: readonly StandingCheck[]
  /** The appliance failed again and again while it verified the document with the portrait of the chip, so that it leaves the portrait out. */
  readonly leavesPortrait?: true
}

/** Result of passive authentication, as far as it decides about the document. */
export interface ChipAuthenticity {
  readonly verdict: ChipVerdict
  /** Names of the checks that were not successful, each with its reason. */
  readonly reasons: readonly string[]
  readonly verifiedGroups: readonly number[]
  /** Indicators of a gap (`…_UNVERIFIED`) or a weakness. */
  readonly indicators: readonly string[]
  readonly isRevocationKnown: boolean
  /** SHA-256 of the imported lists that the verdict rests on. */
  readonly lists: readonly string[]
  /** Certificates from the signer to the authority, base64 of DER. */
  readonly certificates: readonly string[]
  /** Verdict on EF.CardSecurity, which holds the key of the mapping; null if there is no such file. */
  readonly cardSecurity: ChipVerdict | null
}

/** Kept with the evidence for the proof and the counter. */
export interface ChipRecord extends ChipReading {
  /** Absent until the document is verified with its chip. */
  readonly authenticity?: ChipAuthenticity
}

export interface ChipFacts {
  readonly reading: ChipReading
  /** Null if no files were read. */
  readonly authenticity: ChipAuthenticity | null
  /** The MRZ in the chip is that of the pictures. Counts only if the issuer signed it. */
  readonly dataMatch: CheckOutcome
  /** The portrait in the chip could be decoded. */
  readonly hasPortrait: boolean
  /** The portrait in the chip shows the face that is printed. Counts only if the issuer signed it. */
  readonly portraitMatch: CheckOutcome
  readonly portraitMeasured?: Measured
}

export interface JudgedChip {
  readonly findings: readonly Finding[]
  /** Data and portrait of the chip take the place of the printed ones. */
  readonly isGenuine: boolean
}

export const DATA_GROUPS = { mrz: 1, portrait: 2, details: 11, chipKey: 14, activeKey: 15 } as const

export function judgeChip(facts: ChipFacts): JudgedChip {
  const { reading, authenticity, hasPortrait } = facts
  const chipAuthentication = keepFailure(reading, judgeChipAuthentication(facts))
  const activeAuthentication = keepFailure(reading, judgeActiveAuthentication(facts))
  const verdict = authenticity?.verdict ?? 'undetermined'
  const dataMatch = isSigned(authenticity, DATA_GROUPS.mrz) ? facts.dataMatch : 'inconclusive'
  const hasSignedPortrait = isSigned(authenticity, DATA_GROUPS.portrait)
  const isCopy = [chipAuthentication, activeAuthentication].some(({ outcome }) => outcome === 'failed')
  const isGenuine =
    areListsCurrent(authenticity) && !isCopy && dataMatch === 'passed' && hasPortrait && hasSignedPortrait
  return {
    isGenuine,
    findings: [
      { check: 'NFC_CHIP_ACCESS', outcome: judgeAccess(reading) },
      keepFailure(reading, {
        check: 'NFC_PASSIVE_AUTHENTICATION',
        outcome: isGenuine ? 'passed' : verdict === 'failed' ? 'failed' : 'inconclusive',
        measured: measureAuthenticity(verdict, authenticity),
      }),
      ...judgeIndicators(authenticity),
      chipAuthentication,
      activeAuthentication,
      keepFailure(reading, { check: 'NFC_DATA_MATCH', outcome: dataMatch }, isGenuine),
      {
        check: 'NFC_PORTRAIT_MATCH',
        outcome: hasSignedPortrait ? facts.portraitMatch : 'inconclusive',
        ...(facts.portraitMeasured ? { measured: facts.portraitMeasured } : {}),
      },
    ],
  }
}

/** @param ends the reading may end a failure of an earlier one */
function keepFailure(
  { earlierFailures = [] }: ChipReading,
  finding: Finding,
  ends = finding.outcome === 'passed',
): Finding {
  const failed = earlierFailures.some((check) => check === finding.check)
  return failed && !ends ? { ...finding, outcome: 'failed' } : finding
}

/** A reader that did not get in does not prove a forgery: the key may have been misread. */
function judgeAccess({ protocols }: ChipReading): CheckOutcome {
  return protocols?.access === 'successful' ? 'passed' : 'inconclusive'
}

const areListsCurrent = (authenticity: ChipAuthenticity | null): boolean =>
  authenticity?.indicators.includes('CHIP_TRUST_LISTS_UNVERIFIED') === false

function measureAuthenticity(verdict: ChipVerdict, authenticity: ChipAuthenticity | null): Measured {
  const { reasons = [], verifiedGroups = [], lists = [] } = authenticity ?? {}
  return {
    chipVerdict: verdict,
    ...(reasons.length > 0 ? { chipReasons: reasons.join(' ') } : {}),
    ...(verifiedGroups.length > 0 ? { chipGroups: verifiedGroups.join(' ') } : {}),
    ...(lists.length > 0 ? { chipLists: lists.join(' ') } : {}),
  }
}

/** A gap leaves its check open; a weakness is a failure that only warns. What was looked up and found in order passes. */
function judgeIndicators(authenticity: ChipAuthenticity | null): readonly Finding[] {
  if (authenticity === null) return []
  const { indicators, isRevocationKnown, lists } = authenticity
  // Lists that do not know the authority of the chip have confirmed nothing.
  const isConfirmed = areListsCurrent(authenticity) && lists.length > 0
  return [
    ...(isRevocationKnown ? [{ check: 'CHIP_REVOCATION', outcome: 'passed' } as const] : []),
    ...(isConfirmed ? [{ check: 'CHIP_TRUST_LISTS', outcome: 'passed' } as const] : []),
    ...indicators.map((indicator): Finding => {
      const check = indicator.replace(/_UNVERIFIED$/, '')
      return { check, outcome: check === indicator ? 'failed' : 'inconclusive' }
    }),
  ]
}

/** Chip authentication, or the mapping of PACE that replaces it (ICAO Doc 9303-11, 4.4.3.3). */
function judgeChipAuthentication({ reading, authenticity }: ChipFacts): Finding {
  const { chipAuthentication = 'undetermined', mapping = 'undetermined' } = reading.protocols ?? {}
  const isOwn = isKeyGenuine(authenticity, DATA_GROUPS.chipKey, 'CHIP_AUTHENTICATION_KEY_REVOKED')
  const proofs = {
    chip_authentication: limitProof(chipAuthentication, isOwn),
    mapping_authentication: limitProof(mapping, authenticity?.cardSecurity === 'successful'),
  }
  return judgeProofs('NFC_CHIP_AUTHENTICATION', proofs)
}

function judgeActiveAuthentication({ reading, authenticity }: ChipFacts): Finding {
  const { activeAuthentication = 'undetermined' } = reading.protocols ?? {}
  const isOwn = isKeyGenuine(authenticity, DATA_GROUPS.activeKey, 'CHIP_ACTIVE_AUTHENTICATION_KEY_REVOKED')
  return judgeProofs('NFC_ACTIVE_AUTHENTICATION', {
    active_authentication: limitProof(activeAuthentication, isOwn),
  })
}

/** The issuer signed this data group. */
export function isSigned(authenticity: ChipAuthenticity | null, group: number): boolean {
  return authenticity?.verdict === 'successful' && authenticity.verifiedGroups.includes(group)
}

/** A key proves nothing unless the issuer signed the file that holds it. */
function isKeyGenuine(authenticity: ChipAuthenticity | null, group: number, revoked: string): boolean {
  return isSigned(authenticity, group) && authenticity?.indicators.includes(revoked) === false
}

const limitProof = (verdict: ChipVerdict, isKeySigned: boolean): ChipVerdict =>
  verdict === 'successful' && !isKeySigned ? 'undetermined' : verdict

/** One failed protocol proves a copy, whatever another one says; one success suffices (TR-03135-1 v2.5, 5.6.4.1). */
function judgeProofs(check: string, proofs: Readonly<Record<string, ChipVerdict>>): Finding {
  const entries = Object.entries(proofs)
  const find = (wanted: ChipVerdict) => entries.find(([, verdict]) => verdict === wanted)
  const [protocol, verdict] = find('failed') ?? find('successful') ?? entries[0]
  const outcome = verdict === 'failed' ? 'failed' : verdict === 'successful' ? 'passed' : 'inconclusive'
  return { check, outcome, measured: { chipProtocol: protocol, chipVerdict: verdict } }
}
