/** DG7: displayed signatures or usual marks, as JPEG or JPEG 2000 (ICAO Doc 9303-10, 4.7.7). */
import { ChipFault } from '../outcome.ts'
import { getValue, readTlv, readTlvs } from '../tlv.ts'
import { toCount, toImage, type ChipImage } from './values.ts'

const MAX_IMAGES = 9

/** @throws ChipFault malformed_data */
export function parseDg7(file: Uint8Array): ChipImage[] {
  const objects = readTlvs(readTlv(file, 0x67).value)
  const count = toCount(getValue(objects, 0x02), MAX_IMAGES)
  const images = objects.filter(({ tag }) => tag === 0x5f43).map(({ value }) => toImage(value))
  if (images.length !== count) throw new ChipFault('malformed_data')
  return images
}
