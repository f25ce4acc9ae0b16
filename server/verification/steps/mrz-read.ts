/** The machine-readable zone: was it read, and do two independent readers agree on every character? */
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import type { MrzReading } from '../../vision/protocol.ts'
import { documentStep, sideWithMrz } from '../subject.ts'

export const mrzRead = documentStep('mrz-read', async (_subject, tools) => {
  const sides = await tools.sides()
  const mrz = sideWithMrz(sides)?.mrz
  if (!mrz) return { findings: [unreadable], models: [] }
  return { findings: [reading(mrz), agreement(mrz)], models: mrz.witnesses.map((witness) => witness.model) }
})

// 1543 is ours: the spec has a code for an unreadable barcode (1542), none for the zone.
const unreadable: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [resultError('1543')],
}

function reading(mrz: MrzReading): Finding {
  return {
    check: 'MRZ_READING',
    outcome: 'passed',
    measured: {
      format: mrz.format,
      lowestConfidence: Math.min(...mrz.characterConfidence.flat()),
      characterPitchPx: mrz.characterPitchPx,
      repairedCharacters: mrz.repaired.length,
      marginNats: mrz.marginNats,
    },
  }
}

function agreement(mrz: MrzReading): Finding {
  const measured = { witnesses: mrz.witnesses.length }
  if (isAcceptableReading(mrz)) return { check: 'MRZ_WITNESS_AGREEMENT', outcome: 'passed', measured }
  return {
    check: 'MRZ_WITNESS_AGREEMENT',
    outcome: 'inconclusive',
    measured,
    errors: [
      resultError('1543', { message: 'some letters at the bottom of the document were hard to read' }),
    ],
  }
}
