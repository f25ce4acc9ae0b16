/**
 * Judges the chip of a document: its files by passive authentication, its data against the pictures, its portrait against the printed
 * one. A chip that confirms the document gives its values and its portrait.
 */
import { parseDg1 } from '../../chip/files/dg1.ts'
import { parseDg11 } from '../../chip/files/dg11.ts'
import { ChipFault } from '../../chip/outcome.ts'
import { compareChipData } from '../../proofing/chip-data.ts'
import {
  DATA_GROUPS,
  isSigned,
  judgeChip,
  type ChipAuthenticity,
  type ChipReading,
} from '../../proofing/chip-evidence.ts'
import type { ChipFiles } from '../../proofing/chip-files.ts'
import { writeRealName } from '../../proofing/chip-names.ts'
import { buildMrzData, withPrint } from '../../proofing/document-data.ts'
import type { IdDocumentData } from '../../proofing/evidence.ts'
import { detectFormat } from '../../proofing/mrz/detect.ts'
import { parseMrz, type MrzFacts } from '../../proofing/mrz/parse.ts'
import { ImageFaultError, type FaceComparison } from '../../vision/protocol.ts'
import { buildDocumentData } from '../data-of-document.ts'
import { documentStep, type Step, type StepTools } from '../subject.ts'
import { judgeComparison } from './portrait-match.ts'

const step = documentStep('document-chip', async ({ chip, declaredType }, tools) => {
  if (!chip) throw new TypeError('the step runs only for a document whose chip was read')
  const { reading, files } = chip
  const authenticity = files && authenticate(files, reading, tools)
  const stored = files && readMrz(files, tools.now)
  const document = await tools.document()
  const shown = buildDocumentData(document, declaredType)
  const portrait =
    files && !reading.leavesPortrait && isSigned(authenticity, DATA_GROUPS.portrait)
      ? await tools.chipPortrait(files)
      : null
  const compared = portrait && (await comparePortraits(portrait, tools))
  const { findings, isGenuine } = judgeChip({
    reading,
    authenticity,
    dataMatch: stored
      ? compareChipData(stored.facts, shown, readPrintedMrz(shown, tools.now))
      : 'inconclusive',
    hasPortrait: portrait !== null,
    ...judgePortraits(compared),
  })
  const data = isGenuine && stored && buildMrzData(stored.facts, stored.lines)
  return {
    findings,
    models: compared?.comparison?.scores.map(({ model }) => model) ?? [],
    ...(authenticity ? { chip: authenticity } : {}),
    ...(isGenuine && portrait ? { chipPortrait: portrait } : {}),
    ...(data
      ? {
          facts: {
            type: data.idDocumentType,
            data: mergeData(shown, withPrint(data, document.page, { isMrzSure: true }), {
              name: readName(files, authenticity),
              mayBeCut: stored.facts.nameMayBeTruncated,
            }),
          },
        }
      : {}),
  }
})

export const documentChip: Step = {
  ...step,
  appliesTo: (subject) => subject.family === 'IDDOCUMENT' && subject.chip !== undefined,
}

/** The reasons name a portrait that the appliance could not process. */
function authenticate(files: ChipFiles, { readAt, leavesPortrait }: ChipReading, tools: StepTools) {
  const found = tools.authenticateChip(files, new Date(readAt))
  return leavesPortrait ? { ...found, reasons: [...found.reasons, 'portrait:not_processed'] } : found
}

/** Null without DG1, or if it holds no MRZ of a known form. */
function readMrz(
  { dataGroups }: ChipFiles,
  now: Date,
): { readonly facts: MrzFacts; readonly lines: readonly string[] } | null {
  const file = dataGroups.get(DATA_GROUPS.mrz)
  if (file === undefined) return null
  try {
    const { lines } = parseDg1(file)
    return detectFormat(lines) === null ? null : { facts: parseMrz(lines, now), lines }
  } catch (error) {
    if (error instanceof ChipFault) return null
    throw error
  }
}

/** Null if the pictures show no MRZ. */
function readPrintedMrz(shown: IdDocumentData | null, now: Date): MrzFacts | null {
  return shown?.mrz && detectFormat(shown.mrz) !== null ? parseMrz(shown.mrz, now) : null
}

/** A portrait that cannot be compared must not cost the document its verification. */
async function comparePortraits(portrait: Uint8Array, tools: StepTools): Promise<FaceComparison | null> {
  const printed = (await tools.sides()).flatMap((side) => side.portrait ?? [])
  const [largest] = [...printed].sort((a, b) => b.widthPx * b.heightPx - a.widthPx * a.heightPx)
  if (!largest) return null
  try {
    return await tools.compareFaces(portrait, largest.jpeg)
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

function judgePortraits(compared: FaceComparison | null) {
  if (!compared?.comparison) return { portraitMatch: 'inconclusive' } as const
  const { outcome, measured } = judgeComparison(compared.comparison, compared.probesUsed)
  return { portraitMatch: outcome, portraitMeasured: measured }
}

/** Null unless the issuer signed DG11 and it holds a name. */
function readName({ dataGroups }: ChipFiles, authenticity: ChipAuthenticity | null) {
  const file = dataGroups.get(DATA_GROUPS.details)
  if (file === undefined || !isSigned(authenticity, DATA_GROUPS.details)) return null
  try {
    return parseDg11(file).name
  } catch (error) {
    if (error instanceof ChipFault) return null
    throw error
  }
}

/** The values of the chip, and those that only the print states. */
function mergeData(
  shown: IdDocumentData | null,
  stored: IdDocumentData,
  { name, mayBeCut }: { readonly name: Parameters<typeof writeRealName>[1]; readonly mayBeCut: boolean },
): IdDocumentData {
  return writeRealName(
    {
      ...shown,
      ...stored,
      personalAttributes: { ...shown?.personalAttributes, ...stored.personalAttributes },
    },
    name,
    { mayBeCut },
  )
}
