/**
 * Damages one small HEIC file of ours: changed bytes, boxes with wrong sizes, a truncated file. No npm package writes
 * HEIC, so the file was made once (test/fixtures/heic/README.md).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { noise, pickOne, whole, type Make } from './bytes.ts'

const SAMPLE = join(import.meta.dirname, '../../../../test/fixtures/heic/passport.heic')

const sample = (): Buffer => readFileSync(SAMPLE)

/** The container's boxes occupy the first bytes; the coded picture follows. */
const CONTAINER_BYTES = 600

export const HOSTILE_HEICS: Readonly<Record<string, Make>> = {
  'heic-truncated': (_, random) => {
    const bytes = sample()
    return bytes.subarray(0, whole(random, bytes.length))
  },
  'heic-container-changed': (_, random) => {
    const bytes = sample()
    for (let n = 1 + whole(random, 12); n > 0; n--) bytes[whole(random, CONTAINER_BYTES)] = whole(random, 256)
    return bytes
  },
  'heic-coding-changed': (_, random) => {
    const bytes = sample()
    const from = CONTAINER_BYTES + whole(random, bytes.length - CONTAINER_BYTES - 64)
    noise(random, 1 + whole(random, 64)).copy(bytes, from)
    return bytes
  },
  'heic-other-size': (_, random) => {
    const bytes = sample()
    const size = bytes.indexOf('ispe', 0, 'latin1') + 8
    bytes.writeUInt32BE(pickOne(random, [0, 1, 64, 7000, 65_535, 0xffffffff]), size)
    bytes.writeUInt32BE(pickOne(random, [0, 1, 64, 7000, 65_535, 0xffffffff]), size + 4)
    return bytes
  },
  'heic-box-length': (_, random) => {
    const bytes = sample()
    const type = pickOne(random, ['ftyp', 'meta', 'iinf', 'iloc', 'iprp', 'ipco', 'hvcC', 'mdat'])
    const at = bytes.indexOf(type, 0, 'latin1')
    if (at >= 4) bytes.writeUInt32BE(pickOne(random, [0, 1, 7, 8, 0x7fffffff, 0xffffffff]), at - 4)
    return bytes
  },
}
