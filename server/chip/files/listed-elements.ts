/** Data groups that begin with the list of their elements: DG11 and DG12 (ICAO Doc 9303-10, 4.7.11 and 4.7.12). */
import { ChipFault } from '../outcome.ts'
import { findValue, getValue, readTlvs, type Tlv } from '../tlv.ts'
import { toCount } from './values.ts'

const TAG_LIST = 0x5c
/** Several values of one kind: their number and the values. */
const OTHERS = 0xa0
const MAX_OTHERS = 20

/**
 * Reads the elements.
 * @throws ChipFault malformed_data if an element is not in the list
 */
export function readListed(template: Uint8Array): Tlv[] {
  const objects = readTlvs(template)
  const listed = readTags(getValue(objects, TAG_LIST))
  const isListed = ({ tag }: Tlv): boolean => tag === TAG_LIST || tag === OTHERS || listed.includes(tag)
  if (!objects.every(isListed)) throw new ChipFault('malformed_data')
  return objects
}

/** The values with this tag in the template of several values; none if there is no template. */
export function readOthers(objects: readonly Tlv[], tag: number): Uint8Array[] {
  const template = findValue(objects, OTHERS)
  if (template === null) return []
  const members = readTlvs(template)
  const values = members.filter((member) => member.tag === tag).map(({ value }) => value)
  if (values.length !== toCount(getValue(members, 0x02), MAX_OTHERS)) throw new ChipFault('malformed_data')
  return values
}

/** Tags of one or two bytes without lengths and values, one after the other. */
function readTags(list: Uint8Array): number[] {
  const tags: number[] = []
  for (let at = 0; at < list.length; at += 1) {
    const first = list[at] ?? 0
    if ((first & 0x1f) !== 0x1f) {
      tags.push(first)
      continue
    }
    at += 1
    const second = list[at]
    if (second === undefined) throw new ChipFault('malformed_data')
    tags.push(first * 256 + second)
  }
  return tags
}
