/**
 * The chip of the specimen in `npm run demo -- --chip`: a private pcscd with virtual readers if this machine has one, the trust in the
 * chip's authority, and what a proof states about the chip.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeFileWhole } from '../../files/write-file.ts'
import { readZip, withoutRoot } from '../../proof/verify/read-zip.ts'
import { Details, measuredChecks } from '../../reassess/archive-parts.ts'
import { findMissingPackages, startVirtualPcscd, type VirtualPcscd } from '../simulator/chip/pcscd.ts'
import type { SpecimenChip } from '../simulator/chip/specimen-chip.ts'
import { RUN } from './server-process.ts'

/** Passes a pcscd with virtual readers to `use`, or null and the reason in `say`. */
export async function withVirtualReaders<Result>(
  say: (line: string) => void,
  use: (pcscd: VirtualPcscd | null) => Promise<Result>,
): Promise<Result> {
  const missing = findMissingPackages()
  const started =
    missing.length > 0
      ? `install ${missing.join(', ')}`
      : await startVirtualPcscd().catch(({ message }: Error) => message)
  if (typeof started === 'string') {
    say(
      `no reader: ${started}. The appliance gets the files of the chip, which do not prove that it is no copy`,
    )
    return use(null)
  }
  try {
    return await use(started)
  } finally {
    await started.close()
  }
}

const DETAILS_FILE = 'verificationAndEvaluationDetails.json'

const listFiles = ({ authority, revocationList }: SpecimenChip) =>
  Object.entries({ 'csca.der': authority, 'csca.crl': revocationList })

/** Two people import the authority of the specimen's chip and its revocation list, for the running appliance. */
export async function importAuthority(dataDir: string, chip: SpecimenChip): Promise<void> {
  const paths = listFiles(chip).map(([name, bytes]) => {
    const path = join(dataDir, name)
    writeFileWhole(path, bytes)
    return path
  })
  const people = ['--by', 'Ada', '--confirmed-by', 'Ben']
  const argv = [RUN, 'trust', 'import', ...paths, ...people, '--data', dataDir]
  await promisify(execFile)(process.execPath, argv)
  for (const path of paths) rmSync(path)
}

export interface ChipStatement {
  /** The protocol that proved that the chip is no copy, by the name in the proof; null if none did. */
  readonly protocol: string | null
  /** The imported files that passive authentication used, each with the start of its SHA-256. */
  readonly lists: readonly string[]
}

/** Reads what the last verification of the document in this archive states about its chip. */
export function readChipStatement(archive: Uint8Array, chip: SpecimenChip): ChipStatement {
  const file = readZip(archive).files.find(({ path }) => withoutRoot(path) === DETAILS_FILE)
  const details = Details.parse(JSON.parse(new TextDecoder().decode(file?.bytes)))
  const measurements = details.flatMap((entry) => measuredChecks(entry).flatMap((each) => each.measurements))
  const find = (check: string) => measurements.findLast((each) => each.check === check)
  const proof = ['NFC_CHIP_AUTHENTICATION', 'NFC_ACTIVE_AUTHENTICATION']
    .map(find)
    .find((each) => each?.outcome === 'passed')
  const hashes = String(find('NFC_PASSIVE_AUTHENTICATION')?.measured.chipLists ?? '')
  const names = new Map(
    listFiles(chip).map(([name, bytes]) => [createHash('sha256').update(bytes).digest('hex'), name]),
  )
  return {
    protocol: proof ? String(proof.measured.chipProtocol) : null,
    lists: hashes
      .split(' ')
      .filter((hash) => hash !== '')
      .map((hash) => `${names.get(hash) ?? 'another list'} (SHA-256 ${hash.slice(0, 16)}…)`),
  }
}
