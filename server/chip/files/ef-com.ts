/** EF.COM: the versions, and the data groups that are present (ICAO Doc 9303-10, 4.6.1). It is not signed. */
import { ChipFault } from '../outcome.ts'
import { getValue, readTlv, readTlvs } from '../tlv.ts'
import { findDataGroup, isKnownVersion, type LdsVersion } from './data-groups.ts'
import { toDigits } from './values.ts'

export interface EfCom extends LdsVersion {
  /** Numbers of the groups, in the order of the file. */
  readonly dataGroups: readonly number[]
}

/** @throws ChipFault malformed_data, also for a version that is not known and for a list without DG1 or DG2 */
export function parseEfCom(file: Uint8Array): EfCom {
  const objects = readTlvs(readTlv(file, 0x60).value)
  const version = {
    lds: toDigits(getValue(objects, 0x5f01), 4),
    unicode: toDigits(getValue(objects, 0x5f36), 6),
  }
  const dataGroups = [...getValue(objects, 0x5c)].map((tag) => {
    const number = findDataGroup(tag)
    if (number === null) throw new ChipFault('malformed_data')
    return number
  })
  const isOnce = new Set(dataGroups).size === dataGroups.length
  const hasRequired = dataGroups.includes(1) && dataGroups.includes(2) // Doc 9303-10, table 37
  if (!isKnownVersion(version) || !isOnce || !hasRequired) throw new ChipFault('malformed_data')
  return { ...version, dataGroups }
}
