/** Passes commands to a chip and records each with its response, in the form of a recorded session. */
import { encodeCommand, type Channel, type CommandApdu } from '../../server/chip/apdu.ts'
import type { SessionKeys } from '../../server/chip/secure-messaging.ts'
import type { RecordedPair } from './recorded-chip.ts'

export function recordSession(chip: Channel): Channel & { readonly pairs: RecordedPair[] } {
  const pairs: RecordedPair[] = []
  const transmit = async (command: CommandApdu) => {
    const response = await chip.transmit(command)
    const statusWord = response.statusWord.toString(16).padStart(4, '0')
    pairs.push({
      c: encodeCommand(command).toString('hex'),
      r: Buffer.from(response.data).toString('hex') + statusWord,
    })
    return response
  }
  return { pairs, transmit }
}

export function writeKeys({ cipher, encryption, checksum }: SessionKeys) {
  return {
    alg: cipher === 'TDES' ? 'TDES' : 'AES',
    ksEnc: Buffer.from(encryption).toString('hex'),
    ksMac: Buffer.from(checksum).toString('hex'),
  }
}
